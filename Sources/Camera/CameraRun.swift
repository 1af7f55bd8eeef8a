public import Flourish
import Platform
import Synchronization

/// A camera called "Flourish" that shows the pictures of a real one, with reactions.
///
/// The real camera is open only while a program reads ours. Without pictures, readers see a card with the reason. The
/// run outlives unplugged cameras and restarts of PipeWire; it ends with ``stop()``.
public final class CameraRun: Sendable {
    public struct Setup: Sendable {
        /// The name under which programs list our camera.
        public var name = "Flourish"
        /// A node's name or a part of the camera's title; `nil` for the first camera.
        public var camera: String?
        /// The node's name of the microphone in which speech is detected; `nil` for the system's default. It is open only
        /// while the real camera is, and only if ``Configuration/speechPolicy`` is not ``SpeechPolicy/allow``.
        public var microphone: String?
        /// The size and rate of our pictures; the format has no effect.
        public var picture = CameraMode(.i420, width: 1280, height: 720, rate: 30)
        /// The device to which our pictures are written, too; `nil` for none.
        public var loopback: LoopbackOutput?

        public init() {}

        /// Takes the size of the camera's mode that is next to the present size and rate, if a camera is connected.
        ///
        /// - Throws: ``FlourishError/Code/unavailable`` if PipeWire is missing or does not run.
        public mutating func chooseSize() throws(FlourishError) {
            let cameras = try CameraRun.cameras().filter { $0.name != name && !isOwn($0) }
            guard let device = cameras.first(where: { camera.map($0.matches) ?? true }),
                let mode = CameraMode.best(of: device.modes, for: picture)
            else { return }
            // Chroma samples cover two pixels.
            (picture.width, picture.height) = (mode.width & ~1, mode.height & ~1)
        }

        /// Checks that the camera is not the device to which the pictures are written.
        ///
        /// - Throws: ``FlourishError/Code/usage``; ``FlourishError/Code/unavailable`` if PipeWire is missing or does not run.
        public func checkCamera() throws(FlourishError) {
            guard let loopback, let camera else { return }
            if LoopbackOutput.resolved(camera) != loopback.path {
                let named = try CameraRun.cameras().filter { $0.matches(camera) }
                guard !named.isEmpty, named.allSatisfy(isOwn) else { return }
            }
            throw FlourishError(
                .usage, "\(camera) is \(loopback.path), to which --v4l2 writes; name another camera")
        }

        /// Returns whether a camera is the device to which the pictures are written.
        private func isOwn(_ camera: CameraDevice) -> Bool { camera.path != nil && camera.path == loopback?.path }
    }

    private let setup: Setup
    private let session: ReactionSession
    private let observer: SessionObserver
    private let report: @Sendable (String) -> Void
    private let inbox = CameraInbox()
    /// The cameras that the run may show. ``Setup/camera`` is chosen at the beginning.
    public let selection: CameraSelection
    private let isStopped = StopFlag()
    /// The fault that ended the run.
    private let failure = Mutex<FlourishError?>(nil)

    /// - Parameters:
    ///   - session: A session that has not run; its configuration should be live.
    ///   - observer: Receives the reactions' events.
    ///   - camerasChanged: Called after ``selection`` has changed, on any thread.
    ///   - report: Receives a line for each change that concerns the user, on any thread.
    public init(
        _ setup: Setup, session: ReactionSession, observer: SessionObserver = SessionObserver(),
        camerasChanged: @escaping @Sendable () -> Void = {},
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        selection = CameraSelection(setup.camera, inbox: inbox, changed: camerasChanged)
        (self.setup, self.session, self.observer, self.report) = (setup, session, observer, report)
    }

    /// Lists the cameras of PipeWire.
    ///
    /// - Throws: ``FlourishError/Code/unavailable`` if PipeWire is missing or does not run.
    public static func cameras() throws(FlourishError) -> [CameraDevice] {
        let list = CameraList()
        let listed = Channel<Bool>(capacity: 1)
        var observer = list.observer { _ in }
        observer.listed = { listed.sendNewest(true) }
        observer.lost = { _ in listed.sendNewest(false) }
        let session = try PipeWireSession(observer)
        _ = listed.receive()
        session.close()
        return list.devices
    }

    /// Ends ``run()``.
    public func stop() {
        isStopped.set()
        inbox.send(.wake)
    }

    /// Runs until ``stop()``; blocks the calling thread.
    ///
    /// - Returns: The figures of all pictures that were shown.
    /// - Throws: ``FlourishError``. PipeWire must run at the beginning; the run waits for it if it is lost later.
    public func run() throws(FlourishError) -> ReactionEvent.StreamSummary {
        let stage = try CameraStage(setup.picture, session: session, observer: observer)
        let microphone = session.speech.map {
            Microphone(name: setup.microphone, timeline: $0, start: stage.start)
        }
        let readers = CameraReaders(inbox)
        try start(stage, readers)
        defer { setup.loopback?.stop() }
        let loop = CameraLoop(
            inbox: inbox, selection: selection, ownName: setup.name, ownPath: setup.loopback?.path,
            picture: setup.picture, isStopped: isStopped, microphone: microphone, report: report)
        try loop.run(stage) { [setup, report] connection throws(FlourishError) in
            readers.set(.pipeWire, false)
            var observer = CameraStream.Observer()
            observer.changed = { readers.set(.pipeWire, $0 == .running) }
            stage.output = try connection.provide(setup.name, modes: stage.modes, observer)
            report("the camera \(setup.name) is ready")
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        return try stage.finish()
    }

    /// Begins to write to the loopback device, if there is one.
    private func start(_ stage: CameraStage, _ readers: CameraReaders) throws(FlourishError) {
        guard let loopback = setup.loopback else { return }
        try stage.start(
            loopback, readersChanged: { readers.set(.loopback, $0) },
            failed: { [self] error in
                failure.withLock { $0 = error }
                stop()
            })
        report("the camera \(loopback.path) is ready")
    }
}
