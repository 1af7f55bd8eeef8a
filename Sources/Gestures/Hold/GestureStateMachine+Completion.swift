import Reactions

/// What a hold needs to fire, but for the cooldown and the second hand.
extension GestureStateMachine.Configuration {
    /// Sums of frame durations miss a round number by a few units in the last place.
    static let roundingSlack = 1e-6

    /// The share of the hold from which somebody may wonder why it did not fire.
    static let worthTelling = 0.4

    /// What a hold of `gesture` that was seen last at `time` lacks; nil where it is complete.
    func lack(of hold: GestureTrack.Hold, _ gesture: FrameGesture, at time: Double) -> ReactionEvent.CandidateReason? {
        let share = gesture.hands == 2 ? seenShareOfBoth : seenShare
        if time - hold.since < self.hold - Self.roundingSlack || (hold.sights < 2 && self.hold > 0) {
            return .heldTooBriefly
        }
        if hold.share < share { return .notSeenEnough }
        return agreement(of: hold, gesture) >= leastAgreement(of: gesture) ? nil : .notSure
    }

    /// How sure the looks of a hold are together. Of two hands the frames without a sight mostly show one, which says
    /// that the gesture goes on; and what somebody taught is sure enough wherever it is seen. So these go by their
    /// sights alone.
    func agreement(of hold: GestureTrack.Hold, _ gesture: FrameGesture) -> Double {
        gesture.hands == 2 || gesture.isLearned ? hold.confidence : hold.agreement
    }

    /// How sure a hold is for people who wonder: as sure as the least of what it must be sure by.
    func sureness(of hold: GestureTrack.Hold, _ gesture: FrameGesture) -> Double {
        min(agreement(of: hold, gesture), hold.doubted ?? 1)
    }

    /// What is to be told of a hold that ended without having fired; nil where it did not come near.
    ///
    /// - Parameter cooldownLeft: how much of the cooldown was left when the gesture was seen last, in seconds.
    func unfired(_ end: GestureTrack.End, _ gesture: FrameGesture, cooldownLeft: Double) -> UnfiredHold? {
        let hold = end.hold.untilLastSight
        let held = hold.lastSeen - hold.since
        // One sight may be a mistake; of both hands it inherits what one hand held.
        guard held >= self.hold * Self.worthTelling - Self.roundingSlack, hold.sights >= 2 || self.hold <= 0 else {
            return nil
        }
        return UnfiredHold(
            gesture: gesture, reason: reason(end, hold, gesture, cooldownLeft), confidence: sureness(of: hold, gesture),
            origin: hold.place, heldSince: hold.since, heldUntil: hold.lastSeen, hold: self.hold, tracks: hold.tracks)
    }

    private func reason(
        _ end: GestureTrack.End, _ hold: GestureTrack.Hold, _ gesture: FrameGesture, _ cooldownLeft: Double
    ) -> ReactionEvent.CandidateReason {
        if disabled.contains(gesture) { return .disabled }
        if hold.isLingering { return .wasThereBefore }
        switch lack(of: hold, gesture, at: hold.lastSeen) {
        case .heldTooBriefly?:
            // The careful look that would have completed it came, and did not see the gesture.
            if hold.isRefused { return .notSure }
            return end.hasMoved ? .moved : .heldTooBriefly
        case let other? where other != .notSure: return other
        case let lack:
            if cooldownLeft > 0 { return .coolingDown }
            // What lacks nothing was still waiting, for a second hand that might join.
            return lack ?? (hold.doubted == nil ? .heldTooBriefly : .notSure)
        }
    }
}
