package import Reactions

extension GestureStateMachine {
    /// The timing rules. Every duration is in seconds of the video.
    package struct Configuration: Sendable, Hashable {
        /// The time for which a gesture must be shown before it fires.
        package var hold: Double = 1.0
        /// The time after firing in which the same gesture does not fire again.
        package var cooldown: Double = 3.0
        /// Cooldowns that differ from ``cooldown``.
        var cooldowns: [FrameGesture: Double] = [:]
        /// Gestures that never fire. A disabled two-hand gesture still prevents its one-hand gesture from firing: two
        /// raised thumbs must not fire as one.
        package var disabled: Set<FrameGesture> = []
        /// The custom gestures, in a fixed order.
        package var learned: [FrameGesture] = []

        /// The maximum time by which a hold's start can precede its first detection, as a share of ``hold``.
        var longestBackdate: Double = 0.125

        /// The additional time for which a one-hand gesture waits while another hand is in view and may be about to
        /// join. A hold shorter than 0.3 s always waits, because it leaves the second hand no time to join.
        var secondHandWait: Double = 0.12
        /// The maximum share of the hold that a one-hand gesture can contribute when the second hand joins. For the
        /// rest of the hold, both hands must be detected together.
        var upgradeCredit: Double = 0.5

        /// The time since the last detection in which several missed frames do not break a hold. A single missed frame
        /// has the limit ``longestMiss``.
        var missTolerance: Double = 0.25
        /// The maximum time since the last detection at the end of a single missed frame. At 4 analyses a second, one
        /// missed frame leaves 0.5 s between detections. At 15 analyses, three leave 0.27 s.
        var longestMiss: Double = 0.8
        /// The movement of a hand during its hold.
        package var movement = GestureStateMachine.Movement()
        /// The distance from where a resting hold began, in palm lengths, from which hands with other track numbers
        /// count as another person's. Nearer hands were lost for a moment and are detected again. For a fast hand it is
        /// the step of ``Movement/limit``, from where the hand was seen last.
        package var handover: Double = 0.8
        /// The ratio of sizes between two detections from which a hand counts as a different one, as when one
        /// photograph replaces another.
        var suddenGrowth: Double = 1.6
        /// The effect of speech.
        package var speechPolicy = SpeechPolicy.allow
        /// The factor of ``hold`` while someone speaks, with ``SpeechPolicy/holdLonger``.
        var spokenHoldFactor: Double = 2.0
        /// The share of a hold with speech from which the hold counts as spoken. A pause between two words is shorter
        /// than half of a hold.
        var spokenShare: Double = 0.5

        /// The minimum share of a hold's frames in which the gesture must be detected.
        var seenShare: Double = 0.6
        /// ``seenShare`` for a gesture of two hands. The share is lower, because the other frames mostly show one of
        /// the hands, which indicates that the gesture continues.
        var seenShareOfBoth: Double = 0.4
        /// The setting for the confidence required over a hold and in the careful detection (of several crops of the
        /// hand) at its end. See ``minimumAgreement(of:)`` and ``HoldEvidence/agreement``. Nearly all intended
        /// gestures exceed the required confidence; most unintended ones do not.
        package var sensitivity = Sensitivity.normal
        /// Sensitivities that differ from ``sensitivity``.
        package var sensitivities: [FrameGesture: Sensitivity] = [:]
        /// The time until the next careful detection after one that rejected a complete hold, in seconds.
        var confirmationInterval: Double = 0.08
        /// The maximum time until the next careful detection. Each wait is twice the previous one.
        var longestConfirmationInterval: Double = 2.0
        /// The time for which a complete hold may stay in doubt, in seconds. After this time the hold never fires. The
        /// hand then counts as resting, even if a later detection has sufficient confidence.
        var maximumDoubt: Double = 5.0
        /// The time for which a fired gesture must be out of sight before it counts as released. The time is longer
        /// than ``missTolerance``, because a hand that is lost for a moment has not been lowered.
        package var release: Double = 0.8
        /// The maximum step between frames. A longer step is a gap in the video and breaks every hold.
        var longestStep: Double = 2.0

        package init(hold: Double = 1.0, cooldown: Double = 3.0) {
            self.hold = hold
            self.cooldown = cooldown
        }

        /// Returns the cooldown of `gesture`.
        package func cooldown(of gesture: FrameGesture) -> Double {
            cooldowns[gesture] ?? cooldown
        }
    }
}

/// The conditions of firing, except for the cooldown and the second hand.
extension GestureStateMachine.Configuration {
    /// The tolerance in seconds for sums of frame durations, which miss a round number by a few units in the last
    /// place.
    static let roundingSlack = 1e-6

    /// The share of the required duration from which a hold that did not fire is reported.
    static let reportedShare = 0.4

    /// Returns the evidence that completes a hold of `gesture` last detected at `time`: of the time in which the hand
    /// rests, or of the whole hold; nil if neither suffices.
    func completion(of hold: GestureTrack.Hold, _ gesture: FrameGesture, at time: Double) -> HoldEvidence? {
        [hold.resting, hold.whole].first { lack(of: $0, gesture, at: time) == nil }
    }

    /// Returns the condition that a hold of `gesture` last detected at `time` does not meet; nil if it is complete.
    func lack(of hold: GestureTrack.Hold, _ gesture: FrameGesture, at time: Double) -> ReactionEvent.CandidateReason? {
        if completion(of: hold, gesture, at: time) != nil { return nil }
        var unmoved = hold.whole
        unmoved.movement = 0
        return lack(of: unmoved, gesture, at: time) ?? .moved
    }

    /// Returns the condition that evidence does not meet; nil if it suffices.
    private func lack(
        of evidence: HoldEvidence, _ gesture: FrameGesture, at time: Double
    ) -> ReactionEvent.CandidateReason? {
        let held = time - evidence.since + Self.roundingSlack
        if held < hold * timeFactor(of: evidence) || (evidence.sights < 2 && hold > 0) { return .heldTooBriefly }
        // What was seen before says little about a hand that has been clear since: it was on its way, or blurred.
        let recent = evidence.last(required(evidence), before: time)
        let share = (gesture.hands == 2 ? seenShareOfBoth : seenShare) + movement.additionalShare * evidence.movement
        if recent.share < share { return .notSeenEnough }
        if isSpoken(evidence), speechPolicy == .ignore || held < required(evidence) { return .speaking }
        return agreement(of: recent, gesture) >= minimumAgreement(of: gesture, evidence) ? nil : .notSure
    }

    /// Returns whether someone spoke during a hold, if that matters.
    func isSpoken(_ evidence: HoldEvidence) -> Bool {
        speechPolicy != .allow && evidence.spokenShare >= spokenShare
    }

    /// Returns the time for which a gesture must be held, in seconds.
    func required(_ evidence: HoldEvidence) -> Double {
        let spoken = speechPolicy == .holdLonger && isSpoken(evidence) ? spokenHoldFactor : 1
        return hold * timeFactor(of: evidence) * spoken
    }

    private func timeFactor(of evidence: HoldEvidence) -> Double { 1 + (movement.time - 1) * evidence.movement }

    /// Returns the confidence that `gesture` must reach over a hold.
    func minimumAgreement(of gesture: FrameGesture, _ evidence: HoldEvidence) -> Double {
        let resting = minimumAgreement(of: gesture)
        return resting + max(0, movement.agreement - resting) * evidence.movement
    }

    /// Returns the mean confidence of a hold's detections. Frames without a detection of both hands mostly show one of
    /// them, which indicates that the gesture continues. Custom gestures are confident whenever they are detected. So
    /// for two-hand and custom gestures, only frames with a detection count.
    func agreement(of evidence: HoldEvidence, _ gesture: FrameGesture) -> Double {
        gesture.hands == 2 || gesture.isLearned ? evidence.confidence : evidence.agreement
    }

    /// Returns the confidence shown to the user: the lowest of the values that must reach the limit.
    func confidence(of hold: GestureTrack.Hold, _ gesture: FrameGesture) -> Double {
        min(agreement(of: hold.whole, gesture), hold.doubted ?? 1)
    }

    /// Returns the report of a hold that ended without firing; nil if it was not near firing.
    ///
    /// - Parameter cooldownLeft: The remaining cooldown when the gesture was last detected, in seconds.
    func nearMiss(_ end: GestureTrack.End, _ gesture: FrameGesture, cooldownLeft: Double) -> NearMiss? {
        let hold = end.hold.untilLastDetection
        let held = hold.lastSeen - hold.whole.since
        // A single detection may be an error, even in a long hold: a two-hand hold inherits the time of the one-hand
        // hold.
        guard held >= self.hold * Self.reportedShare - Self.roundingSlack, hold.whole.sights >= 2 || self.hold <= 0
        else { return nil }
        return NearMiss(
            gesture: gesture, reason: reason(end, hold, gesture, cooldownLeft),
            confidence: confidence(of: hold, gesture),
            origin: hold.place, heldSince: hold.whole.since, heldUntil: hold.lastSeen, hold: self.hold,
            tracks: hold.tracks)
    }

    private func reason(
        _ end: GestureTrack.End, _ hold: GestureTrack.Hold, _ gesture: FrameGesture, _ cooldownLeft: Double
    ) -> ReactionEvent.CandidateReason {
        if disabled.contains(gesture) { return .disabled }
        if hold.isLingering { return .wasThereBefore }
        switch lack(of: hold, gesture, at: hold.lastSeen) {
        case .heldTooBriefly?:
            // The careful detection that would have completed the hold did not find the gesture.
            if hold.isRefused { return .notSure }
            return end.hasMoved ? .moved : .heldTooBriefly
        case let other? where other != .notSure: return other
        case let lack:
            if cooldownLeft > 0 { return .coolingDown }
            // A hold that meets all conditions was still waiting for a second hand that might join.
            return lack ?? (hold.doubted == nil ? .heldTooBriefly : .notSure)
        }
    }
}

// The only definition of these numbers; docs/recognition.md describes the advantages and costs of each sensitivity.
extension Sensitivity {
    /// The value that ``HoldEvidence/agreement`` must reach for a gesture to fire.
    ///
    /// - A *thumb up* needs a higher value than other gestures. A thumb up is the most common false result for hands of
    ///   a person who talks, rests or holds something. So do *horns*, which the sign "I love you" resembles.
    /// - No picture classifier checks custom gestures, and the hands of a *heart* hide each other. Any detection of
    ///   these gestures has a confidence of at least 0.5, the limit of the rules or examples. So a limit below 0.5
    ///   would have no effect, and a higher limit applies only with low sensitivity.
    package func minimumAgreement(of gesture: FrameGesture) -> Double {
        if gesture == .heart || gesture.isLearned { return self == .low ? 0.65 : GestureClassifier.threshold }
        return switch self {
        case .low: 0.85
        case .normal: [.thumbsUp, .twoThumbsUp, .twoHorns].contains(gesture) ? 0.7 : 0.6
        case .high: 0.55
        }
    }
}

extension GestureStateMachine.Configuration {
    /// Returns the confidence that `gesture` must reach over its hold. A sensitivity set for a one-hand gesture also
    /// applies to its two-hand counterpart, unless that has its own.
    package func minimumAgreement(of gesture: FrameGesture) -> Double {
        let ofOne = gesture.hands == 2 ? gesture.counterpart.flatMap { sensitivities[$0] } : nil
        return (sensitivities[gesture] ?? ofOne ?? sensitivity).minimumAgreement(of: gesture)
    }
}
