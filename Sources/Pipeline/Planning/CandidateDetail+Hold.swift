import Gestures
import Reactions

extension ReactionEvent.CandidateDetail {
    init(_ hold: UnfiredHold) {
        self.init(
            gesture: hold.gesture.name, handCount: hold.gesture.hands, confidence: hold.confidence,
            origin: hold.origin, heldSince: hold.heldSince, heldUntil: hold.heldUntil, hold: hold.hold,
            reason: hold.reason)
    }
}
