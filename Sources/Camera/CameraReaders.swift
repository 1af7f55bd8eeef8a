import Synchronization

/// The programs that read our camera, by PipeWire or by a loopback device. Any thread may use it.
final class CameraReaders: Sendable {
    enum Door: Sendable { case pipeWire, loopback }

    private let doors = Mutex<Set<Door>>([])
    private let inbox: CameraInbox

    init(_ inbox: CameraInbox) { self.inbox = inbox }

    /// Records whether programs read by a door, and sends whether any program reads.
    func set(_ door: Door, _ hasReaders: Bool) {
        // Sent within the lock, so that events are in the sequence of the changes.
        doors.withLock { doors in
            if hasReaders { doors.insert(door) } else { doors.remove(door) }
            inbox.send(.event(.readers(!doors.isEmpty)))
        }
    }
}
