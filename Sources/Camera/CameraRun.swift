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
        /// The size and rate of our pictures; the format has no effect.
        public var picture = CameraMode(.i420, width: 1280, height: 720, rate: 30)

        public init() {}

        /// Takes the size of the camera's mode that is next to the present size and rate, if a camera is connected.
        ///
        /// - Throws: ``FlourishError/Code/unavailable`` if PipeWire is missing or does not run.
        public mutating func chooseSize() throws(FlourishError) {
            let cameras = try CameraRun.cameras().filter { $0.name != name }
            guard let device = cameras.first(where: { camera.map($0.matches) ?? true }),
                let mode = CameraMode.best(of: device.modes, for: picture)
            else { return }
            // Chroma samples cover two pixels.
            (picture.width, picture.height) = (mode.width & ~1, mode.height & ~1)
        }
    }

    private let setup: Setup
    private let session: ReactionSession
    private let observer: SessionObserver
    private let report: @Sendable (String) -> Void
    private let inbox = CameraInbox()
    private let isStopped = Atomic<Bool>(false)

    /// The pause between two attempts to reach PipeWire, in microseconds.
    private static let pause: UInt32 = 500_000

    /// - Parameters:
    ///   - session: A session that has not run; its configuration should be live.
    ///   - observer: Receives the reactions' events.
    ///   - report: Receives a line for each change that concerns the user, on any thread.
    public init(
        _ setup: Setup, session: ReactionSession, observer: SessionObserver = SessionObserver(),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
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
        isStopped.store(true, ordering: .releasing)
        inbox.send(.wake)
    }

    /// Runs until ``stop()``; blocks the calling thread.
    ///
    /// - Returns: The figures of all pictures that were shown.
    /// - Throws: ``FlourishError``. PipeWire must run at the beginning; the run waits for it if it is lost later.
    public func run() throws(FlourishError) -> ReactionEvent.StreamSummary {
        let stage = try CameraStage(setup.picture, session: session, observer: observer)
        var hasConnected = false
        while !isStopped.load(ordering: .acquiring) {
            do throws(FlourishError) {
                let pipeWire = try PipeWireConnection(setup, stage, inbox)
                hasConnected = true
                report("the camera \(setup.name) is ready")
                try serve(pipeWire, stage)
            } catch {
                guard hasConnected else { throw error }
                usleep(Self.pause)
            }
        }
        return try stage.finish()
    }

    /// Serves readers until the connection is lost, or the run is stopped.
    private func serve(_ pipeWire: PipeWireConnection, _ stage: CameraStage) throws(FlourishError) {
        defer { pipeWire.close() }
        var policy = CameraPolicy(wanted: setup.camera, ownName: setup.name)
        let ticker = CameraTicker(inbox)
        defer { ticker.stop() }
        while let input = inbox.receive(), !isStopped.load(ordering: .acquiring) {
            let time = MonotonicClock.seconds
            var commands: [CameraPolicy.Command] = []
            switch input {
            case .wake:
                if let deadline = policy.deadline, deadline <= time { commands = policy.tick(time) }
                try stage.showCard(at: time, to: pipeWire.output)
            case .event(let event):
                commands = policy.handle(event, at: time)
            case .picture:
                guard var picture = inbox.dequeuePicture(), pipeWire.isReading else { break }
                do throws(FlourishError) {
                    try stage.show(&picture, at: time, to: pipeWire.output)
                    commands = policy.handle(.picture, at: time)
                } catch {
                    commands = policy.handle(.failed(error.problem), at: time)
                }
            }
            for command in commands { try execute(command, pipeWire, stage) }
            if case .event(.lost) = input { return }
            if policy.needsTicks { ticker.request() }
        }
    }

    private func execute(
        _ command: CameraPolicy.Command, _ pipeWire: PipeWireConnection, _ stage: CameraStage
    ) throws(FlourishError) {
        switch command {
        case .open(let device):
            do throws(FlourishError) {
                try pipeWire.open(device, for: setup.picture)
            } catch {
                inbox.send(.event(.failed(error.problem)))
            }
        case .close: pipeWire.closeCamera()
        case .card(let text): try stage.write(text)
        case .report(let line): report(line)
        }
    }
}

/// The devices of one connection to PipeWire.
private final class CameraList: Sendable {
    private let known = Mutex<[CameraDevice]>([])

    var devices: [CameraDevice] { known.withLock { $0 } }

    /// - Parameter publish: Receives a device when all its modes are known.
    func observer(_ publish: @escaping @Sendable (CameraDevice) -> Void) -> PipeWireSession.Observer {
        var observer = PipeWireSession.Observer()
        observer.added = { device in self.known.withLock { $0.append(device) } }
        observer.offered = { id, mode in
            self.known.withLock { devices in
                guard let index = devices.firstIndex(where: { $0.id == id }) else { return }
                devices[index].modes.append(mode)
            }
        }
        observer.ready = { id in
            if let device = self.devices.first(where: { $0.id == id }) { publish(device) }
        }
        observer.removed = { id in self.known.withLock { $0.removeAll { $0.id == id } } }
        return observer
    }
}

/// A connection to PipeWire with our camera, and the real one while it is open.
///
/// Used by the run's thread; PipeWire's thread only fills the inbox.
private final class PipeWireConnection {
    let output: CameraStream
    private let session: PipeWireSession
    private let inbox: CameraInbox
    private var input: CameraStream?

    var isReading: Bool { input != nil }

    init(_ setup: CameraRun.Setup, _ stage: CameraStage, _ inbox: CameraInbox) throws(FlourishError) {
        self.inbox = inbox
        inbox.clear()
        var observer = CameraList().observer { inbox.send(.event(.added($0))) }
        let removed = observer.removed
        observer.removed = { id in
            removed(id)
            inbox.send(.event(.removed(id)))
        }
        observer.lost = { inbox.send(.event(.lost($0))) }
        session = try PipeWireSession(observer)
        var ours = CameraStream.Observer()
        ours.changed = { inbox.send(.event(.readers($0 == .running))) }
        do throws(FlourishError) {
            output = try session.provide(setup.name, modes: stage.modes, ours)
        } catch {
            session.close()
            throw error
        }
    }

    func open(_ device: CameraDevice, for picture: CameraMode) throws(FlourishError) {
        var observer = CameraStream.Observer()
        observer.changed = { [inbox] state in
            if case .failed(let reason) = state { inbox.send(.event(.failed(reason))) }
        }
        observer.arrived = { [inbox] mode, bytes in inbox.put(CapturedPicture(mode: mode, bytes: bytes)) }
        // A camera that lists no mode may still accept the usual ones.
        let usual = [CameraFormat.yuy2, .i420, .nv12, .mjpg].map { format in
            var mode = picture
            mode.format = format
            return mode
        }
        let modes = CameraMode.best(of: device.modes, for: picture).map { [$0] } ?? usual
        input = try session.read(device, as: modes, observer)
    }

    func closeCamera() {
        input?.close()
        input = nil
        _ = inbox.dequeuePicture()
    }

    func close() {
        closeCamera()
        output.close()
        session.close()
    }
}
