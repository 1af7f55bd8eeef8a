import Reactions
import Synchronization

/// Keeps the account of a run's frames: which were left out, and how the others are counted in the output.
///
/// A frame's *id* says how many frames came before it, left out or not, and never changes. Its *index* says how many of
/// those stayed. All stages speak of ids; events that people get have the index. Any thread may say that a frame is left
/// out, as long as it is no earlier one than those whose indices were asked for.
///
/// ```
/// id      0  1  2  3  4  5
/// stays   ✓  ✓  ✗  ✓  ✗  ✓
/// index   0  1     2     3
/// ```
package final class FrameLedger: Sendable {
    private struct State {
        /// The ids of those left out whose number may still be asked for, sorted.
        var leftOut: [Int] = []
        /// How many before them were left out.
        var before = 0
        /// How many had been left out when each effect in progress began.
        var byEffect: [Int: Int] = [:]

        /// How many frames before one were left out. Earlier ones are not asked for again.
        mutating func count(before id: Int) -> Int {
            let passed = leftOut.prefix { $0 < id }.count
            leftOut.removeFirst(passed)
            before += passed
            return before
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// How many frames were left out.
    package var leftOutCount: Int { state.withLock { $0.before + $0.leftOut.count } }

    /// Notes that a frame is left out.
    package func leaveOut(_ id: Int) {
        state.withLock { state in
            let index = state.leftOut.lastIndex { $0 < id }.map { $0 + 1 } ?? 0
            state.leftOut.insert(id, at: index)
        }
    }

    /// How many frames before one stay.
    package func index(of id: Int) -> Int { state.withLock { id - $0.count(before: id) } }

    /// An event as people get it: with its frame's index instead of the id and, at an effect's end, with how many frames were
    /// left out meanwhile.
    func numbered(_ event: ReactionEvent) -> ReactionEvent {
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
