import Flourish
import NIOCore
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
        var listeners: [Int: @Sendable () -> Void] = [:]
        var nextListener = 0
    }

    private let state = Mutex(State())
    /// The keep-alive interval of event streams.
    private static var interval: TimeAmount { .seconds(10) }

    /// Publishes the state of a topic, if it has changed.
    func publish(_ topic: Topic, _ value: JSONValue) {
        let listeners = state.withLock { state in
            guard state.values[topic] != value else { return [Int: @Sendable () -> Void]() }
            state.values[topic] = value
            state.count += 1
            state.changes[topic] = state.count
            return state.listeners
        }
        for wake in listeners.values { wake() }
    }

    /// The state that was published last.
    subscript(topic: Topic) -> JSONValue { state.withLock { $0.values[topic] ?? .null } }

    /// Ends all streams.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            return state.listeners
        }
        for wake in listeners.values { wake() }
    }

    /// Sends the current state and then all changes, as server-sent events with the names of their topics.
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
            let (text, count, isClosed) = messages(since: seen)
            seen = count
            try await send(ByteBuffer(string: text.isEmpty ? ": still here\n\n" : text))
            if isClosed { return }
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
