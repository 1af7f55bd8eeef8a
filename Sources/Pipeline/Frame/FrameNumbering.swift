package import Reactions
import Synchronization

/// Records which frames of a run were dropped, and counts the other frames for the output.
///
/// A frame's *id* is the number of frames before it, dropped or not, and never changes. Its *index* is the number of
/// kept frames before it. All stages use ids; emitted events have the index. Any thread may report a dropped frame, if
/// it does so before the index of a later frame is read.
///
/// ```
/// id      0  1  2  3  4  5
/// stays   ✓  ✓  ✗  ✓  ✗  ✓
/// index   0  1     2     3
/// ```
package final class FrameNumbering: Sendable {
    private struct State {
        /// The ids of recently dropped frames, sorted.
        var leftOut: [Int] = []
        /// The number of frames dropped before the ids in ``leftOut``.
        var before = 0
        /// The number of frames that had been dropped when each effect in progress began.
        var byEffect: [Int: Int] = [:]

        /// Returns the number of dropped frames before a frame.
        func count(before id: Int) -> Int { before + leftOut.count - leftOut.reversed().prefix { $0 >= id }.count }

        /// Discards the identifiers of frames dropped long before a frame, but keeps their number.
        mutating func pass(_ id: Int) {
            guard leftOut.count > FrameNumbering.memory else { return }
            let passed = leftOut.prefix { $0 < id - FrameNumbering.memory }.count
            leftOut.removeFirst(passed)
            before += passed
        }
    }

    /// The maximum number of frames between an event's frame and the newest frame.
    private static let memory = 500
    private let state = Mutex(State())

    package init() {}

    /// The number of dropped frames.
    package var leftOutCount: Int { state.withLock { $0.before + $0.leftOut.count } }

    /// Records that a frame is dropped.
    package func leaveOut(_ id: Int) {
        state.withLock { state in
            let index = state.leftOut.lastIndex { $0 < id }.map { $0 + 1 } ?? 0
            state.leftOut.insert(id, at: index)
        }
    }

    /// Records that all frames up to this one were processed, so that memory does not grow with the number of frames.
    package func pass(_ id: Int) { state.withLock { $0.pass(id) } }

    /// Returns the number of kept frames before a frame.
    package func index(of id: Int) -> Int { state.withLock { id - $0.count(before: id) } }

    /// Returns an event in the form in which it is emitted: with its frame's index instead of the id. An effect's end
    /// also gets the number of frames dropped since its start.
    package func numbered(_ event: ReactionEvent) -> ReactionEvent {
        state.withLock { state in
            var event = event
            let count = state.count(before: event.frame)
            event.frame -= count
            switch event.kind {
            case .effectStarted(let effect): state.byEffect[effect.id] = count
            case .effectEnded(var effect):
                effect.framesDropped = count - (state.byEffect.removeValue(forKey: effect.id) ?? count)
                event.kind = .effectEnded(effect)
            default: break
            }
            return event
        }
    }
}
