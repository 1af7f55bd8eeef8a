import Synchronization

/// The current state of a review.
typealias ReviewBoard = StateBoard<ReviewTopic>

/// A part of the state of a review.
enum ReviewTopic: String, Sendable, CaseIterable {
    /// The phase of the review.
    case status
    /// The phase and the progress of the rendering.
    case render
    /// The plan's revision, and the faults of its file.
    case plan
    /// The effects, once their files have changed.
    case effects
}

/// Publishes progress at most a few times a second.
final class ProgressThrottle: Sendable {
    private static let interval = Duration.milliseconds(150)

    private let board: ReviewBoard
    private let topic: ReviewTopic
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    init(_ board: ReviewBoard, _ topic: ReviewTopic) {
        self.board = board
        self.topic = topic
    }

    func publish(_ value: @autoclosure () -> ControlValue) {
        let isDue = last.withLock { last in
            if let last, ContinuousClock.now - last < Self.interval { return false }
            last = .now
            return true
        }
        if isDue { board.publish(topic, value()) }
    }
}
