import Flourish
import Synchronization

/// The events of a processor that its host has not read yet.
///
/// A host that reads no events loses the oldest ones, so that memory stays bounded.
final class EventQueue: Sendable {
    private struct State {
        /// A ring: the oldest event is at `first`.
        var events: [ReactionEvent?] = []
        var first = 0
        var count = 0
    }

    private let state = Mutex(State())

    /// Appends an event; drops the oldest one if the queue is full.
    func append(_ event: ReactionEvent) {
        state.withLock { state in
            if state.count == state.events.count, state.count < ReactionEvents.capacity {
                // The ring grows in steps: most hosts read after every frame.
                let ordered = state.events[state.first...] + state.events[..<state.first]
                let room = min(max(2 * state.count, 16), ReactionEvents.capacity)
                state.events = ordered + Array(repeating: nil, count: room - state.count)
                state.first = 0
            }
            state.events[(state.first + state.count) % state.events.count] = event
            if state.count < state.events.count {
                state.count += 1
            } else {
                state.first = (state.first + 1) % state.events.count
            }
        }
    }

    /// Removes the oldest event; `nil` if there is none.
    func removeFirst() -> ReactionEvent? {
        state.withLock { state in
            guard state.count > 0 else { return nil }
            defer {
                state.events[state.first] = nil
                state.first = (state.first + 1) % state.events.count
                state.count -= 1
            }
            return state.events[state.first]
        }
    }
}
