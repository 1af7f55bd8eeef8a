import Reactions
import Synchronization

/// Keeps the account of a run's frames: which were left out, and how the others are counted in the output.
///
/// A frame's *id* says how many frames came before it, left out or not, and never changes. Its *index* says how many of
/// those stayed. All stages speak of ids; events that people get have the index. Any thread may say that a frame is left
/// out, as long as it does so before anybody asks for the index of a later one.
///
/// ```
/// id      0  1  2  3  4  5
/// stays   ✓  ✓  ✗  ✓  ✗  ✓
/// index   0  1     2     3
/// ```
package final class FrameNumbering: Sendable {
    private struct State {
        /// The ids of those left out a while ago and since, sorted.
        var leftOut: [Int] = []
        /// How many were left out before that.
        var before = 0
        /// How many had been left out when each effect in progress began.
        var byEffect: [Int: Int] = [:]

        /// How many frames before one were left out.
        func count(before id: Int) -> Int { before + leftOut.count - leftOut.reversed().prefix { $0 >= id }.count }

        /// Forgets which frames were left out long before one, but not how many.
        mutating func pass(_ id: Int) {
            guard leftOut.count > FrameNumbering.memory else { return }
            let passed = leftOut.prefix { $0 < id - FrameNumbering.memory }.count
            leftOut.removeFirst(passed)
            before += passed
        }
    }

    /// Whoever tells of a frame is at most so many frames behind the newest.
    private static let memory = 500
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

    /// Notes that frames have come as far as this one, so that memory does not grow with their number.
    func pass(_ id: Int) { state.withLock { $0.pass(id) } }

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
