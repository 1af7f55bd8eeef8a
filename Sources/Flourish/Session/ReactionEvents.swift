import Synchronization

/// The events of a session, as they happen, until its run has ended.
///
/// Iteration begins with the events emitted so far, even after the run. A value can be iterated once. At most
/// ``capacity`` events wait for a reader. A reader that is further behind loses the oldest events, so it cannot delay
/// the video. Use ``SessionObserver/event`` if no event may be lost.
///
/// ```swift
/// let session = ReactionSession()
/// try await session.detect("call.mp4")
/// for await event in session.events { print(event.jsonLine) }
/// ```
public struct ReactionEvents: AsyncSequence, Sendable {
    public typealias Element = ReactionEvent
    public typealias Failure = Never

    /// The maximum number of events that wait for a slow reader.
    public static let capacity = 4096

    let stream: AsyncStream<ReactionEvent>

    /// Iterates over the buffered and the following events.
    public func makeAsyncIterator() -> AsyncStream<ReactionEvent>.Iterator {
        stream.makeAsyncIterator()
    }
}

/// The progress of a session, until its run has ended.
///
/// A value receives progress from the moment at which it is read from ``ReactionSession/progress``, and can be iterated
/// once. A slow reader receives the newest step, and misses earlier steps.
public struct ReactionProgress: AsyncSequence, Sendable {
    public typealias Element = SessionProgress
    public typealias Failure = Never

    let stream: AsyncStream<SessionProgress>

    /// Iterates over the following steps.
    public func makeAsyncIterator() -> AsyncStream<SessionProgress>.Iterator {
        stream.makeAsyncIterator()
    }
}

/// Sends each event to all subscribers.
typealias EventHub = Hub<ReactionEvent>

/// Sends each element to all subscribers.
final class Hub<Element: Sendable>: Sendable {
    private struct State {
        var nextKey = 0
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
        /// The newest elements, a ring whose oldest element is at `oldest`.
        var past: [Element] = []
        var oldest = 0
        /// `true` after the end of the session. A new subscriber then receives the past elements and the end.
        var closed = false
    }

    /// The maximum number of elements that wait for a slow subscriber. The subscriber loses the oldest elements.
    private let capacity: Int
    /// The number of earlier elements that a new subscriber receives.
    private let replayed: Int
    private let state = Mutex(State())

    init(capacity: Int, replayed: Int = 0) { (self.capacity, self.replayed) = (capacity, replayed) }

    func subscribe() -> AsyncStream<Element> {
        AsyncStream(bufferingPolicy: .bufferingNewest(capacity)) { continuation in
            let key: Int? = state.withLock { state in
                for element in state.past[state.oldest...] + state.past[..<state.oldest] { continuation.yield(element) }
                guard !state.closed else { return nil }
                defer { state.nextKey += 1 }
                state.listeners[state.nextKey] = continuation
                return state.nextKey
            }
            guard let key else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.listeners.removeValue(forKey: key) }
            }
        }
    }

    func publish(_ element: Element) {
        let listeners = state.withLock { state in
            if state.past.count < replayed {
                state.past.append(element)
            } else if replayed > 0 {
                state.past[state.oldest] = element
                state.oldest = (state.oldest + 1) % replayed
            }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(element) }
    }

    /// Ends every iteration when its queue is empty.
    func close() {
        let listeners = state.withLock { state in
            state.closed = true
            defer { state.listeners.removeAll() }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
