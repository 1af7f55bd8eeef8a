import Reactions
import Synchronization

/// Tells what happens in a spliced recording in the order of time: what was seen while it was looked through, and what
/// spans show.
final class SpliceTeller: Sendable {
    private struct State {
        /// What was seen, in order.
        var heard: ArraySlice<ReactionEvent>
        /// What happens in spans that are done, by their numbers.
        var spans: [Int: [ReactionEvent]] = [:]
    }

    private let outlet: EventOutlet
    private let state: Mutex<State>

    init(_ heard: [ReactionEvent], outlet: EventOutlet) {
        self.outlet = outlet
        state = Mutex(State(heard: heard[...]))
    }

    /// Notes what happens in a span, to be told in its turn.
    func note(_ result: SpanWork.Result, of span: Int) {
        state.withLock { $0.spans[span] = result.events }
    }

    /// Tells what was seen up to a time, in seconds.
    func tell(until time: Double) {
        state.withLock { tell(until: time, &$0) }
    }

    /// Tells what happens in a span, once.
    func tell(span: Int) {
        state.withLock { state in
            guard let events = state.spans.removeValue(forKey: span) else { return }
            for event in events {
                tell(until: event.time, &state)
                outlet.add(event)
            }
        }
    }

    private func tell(until time: Double, _ state: inout State) {
        while let event = state.heard.first, event.time <= time {
            state.heard.removeFirst()
            outlet.add(event)
        }
    }
}
