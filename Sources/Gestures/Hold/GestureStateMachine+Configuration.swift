package import Reactions

extension GestureStateMachine {
    /// The rules of time. Every duration is in seconds of the video.
    package struct Configuration: Sendable, Hashable {
        /// How long a gesture must be shown before it fires.
        package var hold: Double = 1.0
        /// How long after firing the same gesture is not answered again.
        package var cooldown: Double = 3.0
        /// Cooldowns that differ from ``cooldown``.
        package var cooldowns: [FrameGesture: Double] = [:]
        /// Gestures that never fire. A disabled gesture of two hands still keeps the
        /// one-hand gesture from firing: two thumbs up do not mean one.
        package var disabled: Set<FrameGesture> = []
        /// The gestures of somebody's own, in a fixed order.
        package var learned: [FrameGesture] = []

        /// How long before its first sight a hold can have begun, as a share of ``hold``.
        package var longestBackdate: Double = 0.125

        /// What a one-hand gesture waits beyond its hold while another hand is in view
        /// and may be about to join. A hold shorter than 0.3 s always waits, because it
        /// gave the second hand no time itself.
        package var secondHandWait: Double = 0.12
        /// The share of the hold that a one-hand gesture can contribute when the second
        /// hand joins: both hands must be seen together for the rest.
        package var upgradeCredit: Double = 0.5

        /// A hold survives any one missed frame, and further ones up to this time since
        /// the last sight…
        package var missTolerance: Double = 0.25
        /// …but no miss at all beyond this one. (At 4 analyses a second one missed frame
        /// leaves 0.5 s between sights, at 15 three leave 0.27 s.)
        package var longestMiss: Double = 0.8
        /// How far from where its hold began a hand may stray, in palm lengths (about 9 cm). Hands
        /// that meant it strayed by a third of this at most; signers, who pass through gestures, by
        /// more than all of it.
        package var stillness: Double = 1.0
        /// How far from where the hold began, in palm lengths, hands with other numbers are
        /// another person's. Nearer ones were lost for a moment and found again.
        package var handover: Double = 0.8
        /// A hand that is so many times as large, or as small, as when it was seen last is another one: one photograph
        /// took the place of another.
        package var suddenGrowth: Double = 1.6
        /// A hand that is so many palm lengths away from where it was seen this many seconds ago at the most is
        /// another one, or moves: it does not hold.
        package var suddenStep: Double = 0.8
        package var instant: Double = 0.26
        /// The share of a hold's frames in which the gesture must have been seen.
        package var seenShare: Double = 0.6
        /// The same for a gesture of two hands, of which the other frames mostly show one:
        /// that hand says that the gesture goes on.
        package var seenShareOfBoth: Double = 0.4
        /// How sure a gesture must be over its hold, and in the careful look at its end: see
        /// ``leastAgreement(of:)`` and ``GestureTrack/Hold/agreement``. Of hands that meant it nearly all are surer; most
        /// of those that did not are not.
        package var sensitivity = Sensitivity.normal
        /// Sensitivities that differ from ``sensitivity``.
        package var sensitivities: [FrameGesture: Sensitivity] = [:]
        /// How long after a careful look that was not sure of a complete hold the next one comes, in seconds…
        package var carefulWait: Double = 0.08
        /// …and how long at the most, each wait being twice the one before.
        package var longestCarefulWait: Double = 2.0
        /// How long a hold may go on in doubt after it was complete, in seconds. From then on it fires no more: a hand
        /// that lies there means nothing, whatever some later look takes it for.
        package var patience: Double = 5.0
        /// How long a gesture that fired must be out of sight before it counts as
        /// released. Longer than ``missTolerance``: a hand lost for a moment is no release.
        package var release: Double = 0.8
        /// A longer step between frames is a gap in the video and breaks every hold.
        package var longestStep: Double = 2.0

        package init(hold: Double = 1.0, cooldown: Double = 3.0) {
            self.hold = hold
            self.cooldown = cooldown
        }

        /// The cooldown of `gesture`.
        package func cooldown(of gesture: FrameGesture) -> Double {
            cooldowns[gesture] ?? cooldown
        }
    }
}

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

// The one place for these numbers; docs/recognition.md says what each choice costs and gains.
extension Sensitivity {
    /// What ``GestureTrack/Hold/agreement`` must reach for a gesture to fire.
    ///
    /// - A *thumb up* asks for more than the others: it is what hands that talk, rest or hold something are taken for.
    /// - No picture judges gestures of somebody's own, and the hands of a *heart* hide each other. Their readings are sure by 0.5
    ///   at least, the limit that rules or examples drew. Nothing can be asked below that, and above it only where
    ///   somebody asks for care.
    package func leastAgreement(of gesture: FrameGesture) -> Double {
        if gesture == .heart || gesture.isLearned { return self == .low ? 0.65 : GestureClassifier.threshold }
        return switch self {
        case .low: 0.85
        case .normal: gesture == .thumbsUp || gesture == .twoThumbsUp ? 0.7 : 0.6
        case .high: 0.55
        }
    }
}

extension GestureStateMachine.Configuration {
    /// How sure `gesture` must be over its hold. What counts for one hand counts for both, unless they have a sensitivity
    /// of their own.
    package func leastAgreement(of gesture: FrameGesture) -> Double {
        let ofOne = gesture.hands == 2 ? gesture.counterpart.flatMap { sensitivities[$0] } : nil
        return (sensitivities[gesture] ?? ofOne ?? sensitivity).leastAgreement(of: gesture)
    }
}
