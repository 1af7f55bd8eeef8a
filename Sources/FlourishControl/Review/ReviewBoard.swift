import NIOCore
import Synchronization

/// What the review's pages are told, by topic. Only what holds now counts: who is slow misses what was in between, and a
/// page that opens late misses nothing.
final class ReviewBoard: Sendable {
    /// What something is told about.
    enum Topic: String, Sendable, CaseIterable {
        /// Where the review stands: see ``ReviewStatus``.
        case status
        /// How the rendering is doing.
        case render
        /// Which plan is shown: its revision, and what is wrong with its file.
        case plan
    }

    private struct State {
        var values: [Topic: ControlValue] = [:]
        /// How often anything changed, and at which count each topic did last.
        var count = 0
        var changes: [Topic: Int] = [:]
        var isClosed = false
        var listeners: [Int: @Sendable () -> Void] = [:]
        var nextListener = 0
    }

    private let state = Mutex(State())
    /// How often who listens hears something, so that nobody takes a quiet connection for a dead one.
    private static let interval = TimeAmount.seconds(10)

    /// Tells something; nothing where it is what was told before.
    func tell(_ topic: Topic, _ value: ControlValue) {
        let listeners = state.withLock { state in
            guard state.values[topic] != value else { return [Int: @Sendable () -> Void]() }
            state.values[topic] = value
            state.count += 1
            state.changes[topic] = state.count
            return state.listeners
        }
        for wake in listeners.values { wake() }
    }

    /// What was told last.
    subscript(topic: Topic) -> ControlValue { state.withLock { $0.values[topic] ?? .null } }

    /// Says that nothing more will come.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            return state.listeners
        }
        for wake in listeners.values { wake() }
    }

    /// Hands on what holds now, and then whatever changes, as server-sent events that are named by their topics.
    ///
    /// https://html.spec.whatwg.org/multipage/server-sent-events.html
    func follow(_ send: (ByteBuffer) async throws -> Void) async throws {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let listener = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = { wake.yield() }
            return state.nextListener
        }
        defer { state.withLock { $0.listeners[listener] = nil } }
        let ticks = NetworkThread.loop.scheduleRepeatedTask(initialDelay: Self.interval, delay: Self.interval) { _ in
            wake.yield()
        }
        defer { ticks.cancel() }
        var seen = 0
        wake.yield()
        for await _ in wakes {
            let (text, count, isClosed) = news(since: seen)
            seen = count
            try await send(ByteBuffer(string: text.isEmpty ? ": still here\n\n" : text))
            if isClosed { return }
        }
    }

    private func news(since seen: Int) -> (text: String, count: Int, isClosed: Bool) {
        state.withLock { state in
            let changed = Topic.allCases.filter { (state.changes[$0] ?? 0) > seen }
            let messages = changed.map { topic in
                "event: \(topic.rawValue)\ndata: \((state.values[topic] ?? .null).json)\n\n"
            }
            return (messages.joined(), state.count, state.isClosed)
        }
    }
}

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
