import Flourish
import Platform
import Synchronization

/// Receives the pictures of a camera, or the reason why there are none.
protocol CameraSink: AnyObject {
    /// - Parameters:
    ///   - captured: The picture. It is not changed, but its memory must not be shared, or it would be copied.
    ///   - time: Seconds of the monotonic clock.
    func show(_ captured: inout CapturedPicture, at time: Double) throws(FlourishError)
    /// Prepares a card with a text, which is shown until the next picture.
    func write(_ text: String) throws(FlourishError)
    /// Shows the card, if there is no picture.
    func showCard() throws(FlourishError)
}

/// A flag that ends a run.
final class StopFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    func set() { flag.store(true, ordering: .releasing) }

    var isSet: Bool { flag.load(ordering: .acquiring) }
}

/// Reads a camera, as its policy decides, over unplugged cameras and restarts of PipeWire.
struct CameraLoop {
    let inbox: CameraInbox
    let selection: CameraSelection
    /// The name of our own camera, which is not read.
    let ownName: String
    /// The path of the loopback device to which the sink writes, which is not read, either.
    var ownPath: String?
    /// The size and rate to ask for.
    let picture: CameraMode
    let isStopped: StopFlag
    /// The microphone that is open while the camera is; nil for none.
    var microphone: Microphone?
    let report: @Sendable (String) -> Void

    /// The pause between two attempts to reach PipeWire, in microseconds.
    private static let pause: UInt32 = 500_000

    /// Runs until it is stopped.
    ///
    /// - Parameter begin: Called after each connection to PipeWire.
    /// - Throws: ``FlourishError``. PipeWire must run at the beginning; the run waits for it if it is lost later.
    func run(
        _ sink: some CameraSink, _ begin: (PipeWireConnection) throws(FlourishError) -> Void
    ) throws(FlourishError) {
        var hasConnected = false
        while !isStopped.isSet {
            do throws(FlourishError) {
                let connection = try PipeWireConnection(inbox)
                defer { connection.close() }
                try begin(connection)
                hasConnected = true
                try serve(connection, sink)
            } catch {
                guard hasConnected else { throw error }
                usleep(Self.pause)
            }
        }
    }

    /// Handles events until the connection is lost, or the run is stopped.
    private func serve(_ connection: PipeWireConnection, _ sink: some CameraSink) throws(FlourishError) {
        var policy = CameraPolicy(wanted: selection.wanted, ownName: ownName, ownPath: ownPath)
        let ticker = CameraTicker(inbox)
        defer { ticker.stop() }
        while let input = inbox.receive(), !isStopped.isSet {
            let time = MonotonicClock.seconds
            var commands: [CameraPolicy.Command] = []
            switch input {
            case .wake:
                if let deadline = policy.deadline, deadline <= time { commands = policy.tick(time) }
                try sink.showCard()
            case .event(let event):
                commands = policy.handle(event, at: time)
            case .picture:
                guard var captured = inbox.dequeuePicture(), connection.isReading else { break }
                do throws(FlourishError) {
                    try sink.show(&captured, at: time)
                    commands = policy.handle(.picture, at: time)
                } catch {
                    commands = policy.handle(.failed(error.problem), at: time)
                }
            }
            selection.update(policy.devices, absence: policy.absence)
            for command in commands { try execute(command, connection, sink) }
            if case .event(.lost) = input { return }
            if policy.needsTicks { ticker.request() }
        }
    }

    /// Reports that the microphone delivers no sound. Gestures then count as in silence.
    @Sendable
    private func reportMicrophoneFailure(_ reason: String) {
        report("the microphone fails (\(reason)); --while-speaking has no effect")
    }

    private func execute(
        _ command: CameraPolicy.Command, _ connection: PipeWireConnection, _ sink: some CameraSink
    ) throws(FlourishError) {
        switch command {
        case .open(let device):
            do throws(FlourishError) {
                try connection.open(device, for: picture)
            } catch {
                return inbox.send(.event(.failed(error.problem)))
            }
            do throws(FlourishError) {
                if let microphone { try connection.open(microphone, failed: reportMicrophoneFailure) }
            } catch {
                reportMicrophoneFailure(error.problem)
            }
        case .close: connection.closeCamera()
        case .card(let text): try sink.write(text)
        case .report(let line): report(line)
        }
    }
}
