import Frames
import MediaIO
import Platform
import RateControl
import Reactions
import Synchronization

/// Emits the events of a smartly rendered recording in the order of time. It merges the events of the analysis pass
/// with the events of the encoded segments.
final class EventMerger: Sendable {
    private struct State {
        /// The events of the analysis pass, in order.
        var pending: ArraySlice<ReactionEvent>
        /// The events of finished segments, by the segments' numbers.
        var spans: [Int: [ReactionEvent]] = [:]
    }

    private let outlet: EventEmitter
    private let state: Mutex<State>

    init(_ pending: [ReactionEvent], outlet: EventEmitter) {
        self.outlet = outlet
        state = Mutex(State(pending: pending[...]))
    }

    /// Records the events of a segment. They are emitted in the order of time.
    func note(_ result: SegmentEncoder.Result, of span: Int) {
        state.withLock { $0.spans[span] = result.events }
    }

    /// Emits the events of the analysis pass up to a time, in seconds.
    func emit(until time: Double) {
        state.withLock { emit(until: time, &$0) }
    }

    /// Emits the events of a segment, once.
    func emit(span: Int) {
        state.withLock { state in
            guard let events = state.spans.removeValue(forKey: span) else { return }
            for event in events {
                emit(until: event.time, &state)
                outlet.add(event)
            }
        }
    }

    private func emit(until time: Double, _ state: inout State) {
        while let event = state.pending.first, event.time <= time {
            state.pending.removeFirst()
            outlet.add(event)
        }
    }
}
