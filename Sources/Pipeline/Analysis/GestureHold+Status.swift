import Gestures
import Reactions

extension GestureHold {
    /// - Returns: `nil` while nothing is held, or only what counts for nothing.
    init?(_ status: GestureStatus) {
        let progress: Double
        switch status {
        case .holding(_, let elapsed, let hold), .moving(_, let elapsed, let hold, _):
            progress = hold > 0 ? min(max(elapsed / hold, 0), 1) : 1
        case .unsure, .waitingForSecondHand, .fired: progress = 1
        case .idle, .lingering, .coolingDown, .disabled, .waitingForRelease: return nil
        }
        guard let gesture = status.gesture?.name else { return nil }
        self.init(gesture: gesture, progress: progress)
    }
}
