import Flourish
import NIOCore
import Platform
import Synchronization

/// The current state behind a page by topic, which the server streams to the open pages. A slow page misses intermediate
/// states. A page that opens late receives the current states.
///
/// A topic is a part of the state, and the name of its events.
final class StateBoard<Topic: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Sendable {
    private struct State {
        var values: [Topic: JSONValue] = [:]
        /// The number of changes so far.
        var count = 0
        /// The value of `count` at the last change of each topic.
        var changes: [Topic: Int] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let changes = WakeSignal()
    /// The keep-alive interval of event streams.
    private static var interval: TimeAmount { .seconds(10) }

    /// Publishes the state of a topic, if it has changed.
    func publish(_ topic: Topic, _ value: JSONValue) {
        let isNew = state.withLock { state in
            guard state.values[topic] != value else { return false }
            state.values[topic] = value
            state.count += 1
            state.changes[topic] = state.count
            return true
        }
        if isNew { changes.wake() }
    }

    /// The state that was published last.
    subscript(topic: Topic) -> JSONValue { state.withLock { $0.values[topic] ?? .null } }

    /// Ends all streams.
    func close() {
        state.withLock { $0.isClosed = true }
        changes.wake()
    }

    /// Sends the current state and then all changes, as server-sent events with the names of their topics.
    ///
    /// https://html.spec.whatwg.org/multipage/server-sent-events.html
    func follow(_ send: (ByteBuffer) async throws -> Void) async throws {
        var seen = 0
        try await changes.follow(every: Self.interval) {
            let (text, count, isClosed) = messages(since: seen)
            seen = count
            try await send(ByteBuffer(string: text.isEmpty ? ": still here\n\n" : text))
            return !isClosed
        }
    }

    private func messages(since seen: Int) -> (text: String, count: Int, isClosed: Bool) {
        state.withLock { state in
            let changed = Topic.allCases.filter { (state.changes[$0] ?? 0) > seen }
            let messages = changed.map { topic in
                "event: \(topic.rawValue)\ndata: \((state.values[topic] ?? .null).json)\n\n"
            }
            return (messages.joined(), state.count, state.isClosed)
        }
    }
}
