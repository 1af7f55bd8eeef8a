package import Flourish
import NIOCore
import Synchronization

/// What happens in a session, kept for a while for any number of readers.
///
/// Each line is kept once, in a ring; a reader is a cursor in it. So a reader
/// that stands still costs nothing and never holds up whoever publishes: when
/// the ring has turned once, it has lost its oldest lines, and is told how many.
package final class EventFeed: Sendable {
    /// How many lines wait for a slow reader.
    package static let capacity = 1024

    private struct Line {
        let text: String
        let time: Double
        let frame: Int
    }

    private struct State {
        var ring: [Line] = []
        /// How many lines there have been; the newest is `count - 1`.
        var count = 0
        /// The effects in progress as the lines tell them, sorted by their start.
        var effects: [ReactionEffectState] = []
        /// Where the newest event stands.
        var time = 0.0
        var frame = 0
        var isClosed = false
        var listeners: [Int: @Sendable () -> Void] = [:]
        var nextListener = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Where a reader is; made by ``EventFeed/join()``.
    package struct Cursor: Sendable {
        fileprivate var next: Int
    }

    /// Calls `wake` after each line, on the thread that published it; it must return at once.
    ///
    /// - Returns: what ``ignore(_:)`` takes.
    @discardableResult
    package func listen(_ wake: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = wake
            return state.nextListener
        }
    }

    /// Calls a listener no more.
    package func ignore(_ listener: Int) { state.withLock { $0.listeners[listener] = nil } }

    /// Adds an event.
    package func publish(_ event: ReactionEvent) {
        let text = event.jsonLine
        add(text) { state in
            (state.time, state.frame) = (event.time, event.frame)
            switch event.kind {
            case .effectStarted(let effect): state.effects.append(ReactionEffectState(effect))
            case .effectEnded(let effect): state.effects.removeAll { $0.id == effect.id }
            default: break
            }
        }
    }

    /// Adds that somebody changed a setting.
    package func publishChange(of name: String, to value: ControlValue) {
        let (time, frame) = state.withLock { ($0.time, $0.frame) }
        add(Self.line("propertyChanged", time: time, frame: frame, ["name": .text(name), "value": value])) { _ in }
    }

    /// Says that no more will come.
    package func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            return state.listeners
        }
        for wake in listeners.values { wake() }
    }

    /// Whether no more will come.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Begins to read: with a line that tells the effects in progress, as `effectsInProgress`
    /// does, and then with whatever is published from now on.
    package func join() -> (snapshot: String, cursor: Cursor) {
        let (snapshot, cursor, _) = join(recalling: 0)
        return (snapshot, cursor)
    }

    /// The same, with the newest of the lines before, as far as they are kept.
    func join(recalling count: Int) -> (snapshot: String, cursor: Cursor, past: [String]) {
        state.withLock { state in
            let effects = ReactionEvent(
                time: state.time, frame: state.frame, kind: .effectsInProgress(state.effects))
            let first = state.count - min(count, state.ring.count)
            let past = (first..<state.count).map { state.ring[$0 % Self.capacity].text }
            return (effects.jsonLine, Cursor(next: state.count), past)
        }
    }

    /// Takes the next lines.
    ///
    /// - Parameter most: how many at most, beside the one that tells of a loss.
    /// - Returns: nothing where there is nothing new.
    package func read(from cursor: inout Cursor, most: Int = 64) -> [String] {
        state.withLock { state in
            var lines: [String] = []
            let oldest = state.count - state.ring.count
            if cursor.next < oldest {
                let first = state.ring[state.count % state.ring.count]
                lines.append(
                    Self.line(
                        "eventsLost", time: first.time, frame: first.frame, ["count": .integer(oldest - cursor.next)]))
                cursor.next = oldest
            }
            let end = min(state.count, cursor.next + most)
            while cursor.next < end {
                lines.append(state.ring[cursor.next % Self.capacity].text)
                cursor.next += 1
            }
            return lines
        }
    }

    private func add(_ text: String, update: (inout State) -> Void) {
        let listeners = state.withLock { state in
            update(&state)
            let line = Line(text: text, time: state.time, frame: state.frame)
            if state.ring.count < Self.capacity {
                state.ring.append(line)
            } else {
                state.ring[state.count % Self.capacity] = line
            }
            state.count += 1
            return state.listeners
        }
        for wake in listeners.values { wake() }
    }

    /// A line that is no event of the video's own.
    private static func line(
        _ name: String, time: Double, frame: Int, _ fields: [String: ControlValue]
    ) -> String {
        let common: [String: ControlValue] = [
            "schema": .integer(ReactionEvent.schema), "event": .text(name), "time": .number(time),
            "frame": .integer(frame),
        ]
        return ControlValue.object(common.merging(fields) { $1 }).json
    }
}

extension EventFeed {
    /// Hands on what is published until the feed is closed or the task is cancelled.
    ///
    /// - Parameters:
    ///   - cursor: from ``join()``.
    ///   - interval: how often `deliver` is called at least, with no lines where there are none; never without
    ///     lines if `nil`.
    ///   - deliver: takes some lines; while it does, newer ones wait in the feed.
    func follow(
        from cursor: Cursor, interval: TimeAmount? = nil, _ deliver: ([String]) async throws -> Void
    ) async throws {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let listener = listen { wake.yield() }
        defer { ignore(listener) }
        let ticks = interval.map { interval in
            NetworkThread.loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in wake.yield() }
        }
        defer { ticks?.cancel() }
        var cursor = cursor
        wake.yield()
        for await _ in wakes {
            let isOver = isClosed
            var lines = read(from: &cursor)
            while !lines.isEmpty {
                try await deliver(lines)
                lines = read(from: &cursor)
            }
            if isOver { return }
            if interval != nil { try await deliver([]) }
        }
    }
}
