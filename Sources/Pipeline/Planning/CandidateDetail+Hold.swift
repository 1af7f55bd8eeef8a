import Gestures
import Reactions

extension ReactionEvent.CandidateDetail {
    /// - Returns: `nil` for a gesture that has no name of its own.
    init?(_ hold: UnfiredHold) {
        guard let gesture = ReactionGesture(rawValue: hold.gesture.rawValue) else { return nil }
        self.init(
            gesture: gesture, handCount: hold.gesture.hands, confidence: hold.confidence,
            origin: PicturePoint(x: hold.origin.x, y: hold.origin.y), heldSince: hold.heldSince,
            heldUntil: hold.heldUntil, hold: hold.hold, reason: ReactionEvent.CandidateReason(hold.reason))
    }
}

extension ReactionEvent.CandidateReason {
    fileprivate init(_ reason: UnfiredHold.Reason) {
        self =
            switch reason {
            case .disabled: .disabled
            case .moved: .moved
            case .heldTooBriefly: .heldTooBriefly
            case .notSeenEnough: .notSeenEnough
            case .coolingDown: .coolingDown
            case .notSure: .notSure
            case .wasThereBefore: .wasThereBefore
            }
    }
}
