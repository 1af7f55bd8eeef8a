import Gestures
import Reactions

/// A gesture that is being held, and when it will count.
package struct ComingGesture: Sendable, Hashable {
    var gesture: ReactionGesture
    /// When its hold will be complete, in seconds.
    var time: Double

    init(gesture: ReactionGesture, time: Double) {
        self.gesture = gesture
        self.time = time
    }

    /// - Parameters:
    ///   - time: when the picture was shown that the status is about, in seconds.
    ///   - nextCompletion: when the next look may complete a hold.
    /// - Returns: `nil` while nothing is held.
    init?(_ status: GestureStatus, at time: Double, nextCompletion: Double?) {
        guard let gesture = status.gesture?.name else { return nil }
        switch status {
        case .holding(_, let elapsed, let hold), .moving(_, let elapsed, let hold, _):
            self.init(gesture: gesture, time: time + max(hold - elapsed, 0))
        case .waitingForSecondHand: self.init(gesture: gesture, time: nextCompletion ?? time)
        case .idle, .unsure, .lingering, .coolingDown, .disabled, .fired, .waitingForRelease: return nil
        }
    }
}
