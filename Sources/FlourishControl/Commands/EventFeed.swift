package import Flourish
import NIOCore
import Platform
import Synchronization

/// The recent events of a session, for any number of readers.
///
/// The feed stores each line once, in a ring. A reader is a cursor into the ring. So a slow reader needs no memory, and
/// never blocks the publisher. A reader that falls behind by a whole ring loses the oldest lines, and receives the
/// number of lost lines.
///
/// ```swift
/// var (state, cursor) = feed.join()
/// print(state)
/// while !feed.isClosed {
///     for line in feed.read(from: &cursor) { print(line.text) }
///     try await Task.sleep(for: .milliseconds(100))
/// }
/// ```
package final class EventFeed: Sendable {
    /// The number of lines that the ring holds for slow readers.
    package static let capacity = 1024

    /// A line with the parts by which clients select it.
    package struct Line: Sendable {
        /// The number of lines before it; `nil` for a line that is made for one reader. The effects in progress, which a
        /// new reader receives first, have the index of the newest line.
        package var index: Int?
        /// The event as JSON.
        package let text: String
        /// The event's name.
        package let event: String
        /// The property that changed, of the event `propertyChanged`.
        package var property: String?
        fileprivate var time = 0.0
        fileprivate var frame = 0
    }

    private struct State {
        var ring: [Line] = []
        /// The number of lines so far; the newest is `count - 1`.
        var count = 0
        /// The newest events that describe the present state: the start of the stream, and its tiles.
        var lasting: [String: Line] = [:]
        /// The effects in progress at the newest line, sorted by their start.
        var effects: [ReactionEffectState] = []
        /// The tiles at the newest line; none for a single picture.
        var tiles: [LayoutTile] = []
        /// The time and the frame of the newest event.
        var time = 0.0
        var frame = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Wakes readers after each line, on the thread that published it.
    let changes = WakeSignal()

    package init() {}

    /// The position of a reader, from ``EventFeed/join()``.
    package struct Cursor: Sendable {
        /// The index of the next line.
        package fileprivate(set) var next: Int
    }

    /// Appends an event.
    package func publish(_ event: ReactionEvent) {
        let line = Line(text: event.jsonLine, event: event.name)
        add(line) { state in
            (state.time, state.frame) = (event.time, event.frame)
            switch event.kind {
            case .streamStarted: state.lasting[event.name] = line
            case .effectStarted(let effect): state.effects.append(ReactionEffectState(effect))
            case .effectEnded(let effect): state.effects.removeAll { $0.id == effect.id }
            case .layoutChanged(let tiles): (state.lasting[event.name], state.tiles) = (line, tiles)
            default: break
            }
        }
    }

    /// Appends the event of a changed property.
    package func publishChange(of name: String, to value: JSONValue) { add(change(of: name, to: value)) { _ in } }

    /// Returns the event of a changed property, without appending it.
    func change(of name: String, to value: JSONValue) -> Line {
        let (time, frame) = state.withLock { ($0.time, $0.frame) }
        var line = Self.line("propertyChanged", time: time, frame: frame, ["name": .text(name), "value": value])
        line.property = name
        return line
    }

    /// The tiles of a gallery recording at the newest event; none for a single picture.
    var tiles: [LayoutTile] { state.withLock { $0.tiles } }

    /// Ends the feed.
    package func close() {
        state.withLock { $0.isClosed = true }
        changes.wake()
    }

    /// True if the feed has ended.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Begins to read: returns the present state, and a cursor for all later lines. The state is the start of the
    /// stream, its tiles, if any, and the effects in progress.
    package func join() -> (state: [Line], cursor: Cursor) {
        let (lines, cursor, _) = join(recalling: 0)
        return (lines, cursor)
    }

    /// Begins to read like ``join()``, and also returns up to `count` earlier lines.
    func join(recalling count: Int) -> (state: [Line], cursor: Cursor, past: [String]) {
        state.withLock { state in
            let first = state.count - min(count, state.ring.count)
            let past = (first..<state.count).map { state.ring[$0 % Self.capacity].text }
            var lines = ["streamStarted", "layoutChanged"].compactMap { state.lasting[$0] }
            lines.append(Self.effects(state))
            return (lines, Cursor(next: state.count), past)
        }
    }

    /// Continues to read after a line that was received before.
    ///
    /// - Parameter index: The line's index.
    /// - Returns: `nil` if there was no such line.
    func resume(after index: Int) -> Cursor? {
        state.withLock { (0..<$0.count).contains(index) ? Cursor(next: index + 1) : nil }
    }

    /// The effects in progress, as an event.
    var effects: Line { state.withLock { Self.effects($0) } }

    private static func effects(_ state: borrowing State) -> Line {
        let event = ReactionEvent(time: state.time, frame: state.frame, kind: .effectsInProgress(state.effects))
        // The line gets the newest line's index, so that a reader that resumes after it receives only later lines.
        return Line(index: state.count > 0 ? state.count - 1 : nil, text: event.jsonLine, event: event.name)
    }

    /// Returns the next lines, and advances the cursor.
    ///
    /// - Parameter maximum: The maximum number of lines. The line that reports lost lines is not counted.
    /// - Returns: An empty array if there is nothing new.
    package func read(from cursor: inout Cursor, maximum: Int = 64) -> [Line] {
        state.withLock { state in
            var lines: [Line] = []
            let oldest = state.count - state.ring.count
            if cursor.next < oldest {
                let first = state.ring[state.count % state.ring.count]
                lines.append(
                    Self.line(
                        "eventsLost", time: first.time, frame: first.frame, ["count": .integer(oldest - cursor.next)]))
                cursor.next = oldest
            }
            let end = min(state.count, cursor.next + maximum)
            while cursor.next < end {
                lines.append(state.ring[cursor.next % Self.capacity])
                cursor.next += 1
            }
            return lines
        }
    }

    private func add(_ line: Line, update: (inout State) -> Void) {
        state.withLock { state in
            update(&state)
            var line = line
            (line.index, line.time, line.frame) = (state.count, state.time, state.frame)
            if state.ring.count < Self.capacity {
                state.ring.append(line)
            } else {
                state.ring[state.count % Self.capacity] = line
            }
            state.count += 1
        }
        changes.wake()
    }

    /// Returns the line of an event that does not come from the video: `propertyChanged` or `eventsLost`.
    private static func line(
        _ name: String, time: Double, frame: Int, _ fields: [String: JSONValue]
    ) -> Line {
        let common: [String: JSONValue] = [
            "schema": .integer(ReactionEvent.schema), "event": .text(name), "time": .number(time),
            "frame": .integer(frame),
        ]
        return Line(text: JSONValue.object(common.merging(fields) { $1 }).json, event: name)
    }
}

extension EventFeed {
    /// Delivers published lines until the feed is closed or the task is cancelled.
    ///
    /// - Parameters:
    ///   - cursor: The position, from ``join()``.
    ///   - interval: The maximum time between two calls of `deliver`. After that time `deliver` is called without
    ///     lines. Unlimited if `nil`.
    ///   - deliver: Receives some lines. Newer lines wait in the feed in the meantime.
    func follow(
        from cursor: Cursor, interval: TimeAmount? = nil, _ deliver: ([Line]) async throws -> Void
    ) async throws {
        var cursor = cursor
        try await changes.follow(every: interval) {
            let isOver = isClosed
            var lines = read(from: &cursor)
            while !lines.isEmpty {
                try await deliver(lines)
                lines = read(from: &cursor)
            }
            if isOver { return false }
            if interval != nil { try await deliver([]) }
            return true
        }
    }
}
