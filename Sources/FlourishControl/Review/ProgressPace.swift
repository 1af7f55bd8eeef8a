import Synchronization

/// Tells of progress a few times a second, however often there is some.
final class ProgressPace: Sendable {
    private static let interval = Duration.milliseconds(150)

    private let board: ReviewBoard
    private let topic: ReviewBoard.Topic
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    init(_ board: ReviewBoard, _ topic: ReviewBoard.Topic) {
        self.board = board
        self.topic = topic
    }

    func tell(_ value: @autoclosure () -> ControlValue) {
        let isDue = last.withLock { last in
            if let last, ContinuousClock.now - last < Self.interval { return false }
            last = .now
            return true
        }
        if isDue { board.tell(topic, value()) }
    }
}
