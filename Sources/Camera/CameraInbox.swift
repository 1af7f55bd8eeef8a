import Platform
import Synchronization

/// A picture as the camera delivered it: its planes one after the other, without gaps between rows.
struct CapturedPicture: Sendable {
    var mode: CameraMode
    var bytes: [UInt8]
}

/// Passes events and the newest picture from PipeWire's thread to the run's thread.
///
/// A picture that is not dequeued when the next one arrives is dropped: pictures never queue, so latency stays that of one.
final class CameraInbox: Sendable {
    enum Input: Sendable {
        /// Time has passed, or the run was stopped.
        case wake
        case event(CameraPolicy.Event)
        /// A picture can be dequeued.
        case picture
    }

    /// Events are rare, and there is one `picture` at most: PipeWire's thread never waits for room.
    private let inputs = Channel<Input>(capacity: 4096)
    private let newest = Mutex<CapturedPicture?>(nil)

    func send(_ input: Input) { inputs.sendNewest(input) }

    func put(_ picture: CapturedPicture) {
        let isFirst = newest.withLock { slot in
            defer { slot = picture }
            return slot == nil
        }
        if isFirst { inputs.sendNewest(.picture) }
    }

    func dequeuePicture() -> CapturedPicture? {
        newest.withLock { slot in
            defer { slot = nil }
            return slot
        }
    }

    /// Waits for the next input.
    func receive() -> Input? { inputs.receive() }

    /// Drops the picture of an earlier connection. Its events are handled before those of the next one.
    func clear() { _ = dequeuePicture() }
}

/// Wakes the run a tenth of a second after each request, for deadlines and the still card. Nothing wakes an idle run.
final class CameraTicker: Sendable {
    private let requests = Channel<Bool>(capacity: 1)

    init(_ inbox: CameraInbox) {
        StageThread { [requests] in
            while requests.receive() != nil {
                usleep(100_000)
                inbox.send(.wake)
            }
        }.detach()
    }

    func request() { requests.sendNewest(true) }

    func stop() { requests.cancel() }
}
