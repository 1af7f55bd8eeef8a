extension ReactionEvent {
    /// Why a gesture that was held did not fire. The raw values are those of the JSON contract.
    public enum CandidateReason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The gesture is switched off.
        case disabled
        /// The hand went elsewhere before the hold was over, and showed the gesture there.
        case moved
        /// It was lowered, or lost from sight, before the hold was over.
        case heldTooBriefly
        /// It was held long enough, but too few of the looks saw it.
        case notSeenEnough
        /// It was answered a moment ago, and lowered before the cooldown was over.
        case coolingDown
        /// It was held long enough, but the looks at it were not sure enough; see ``Configuration/sensitivity``.
        case notSure
        /// It was held for seconds on end without the looks being sure enough: the hand lay there, and meant nothing.
        case wasThereBefore
    }

    /// A gesture that nearly fired, when that is over.
    public struct CandidateDetail: Sendable, Hashable {
        /// What the hands said.
        public var gesture: ReactionGesture
        /// How many hands made it: 1 or 2.
        public var handCount: Int
        /// How sure the recognition was, 0…1.
        public var confidence: Double
        /// The middle of the hand, or of both, where it was seen last.
        public var origin: PicturePoint
        /// When the hold began, in seconds.
        public var heldSince: Double
        /// When it was seen last, in seconds.
        public var heldUntil: Double
        /// How long it had to be held, in seconds.
        public var hold: Double
        /// Why it did not fire.
        public var reason: CandidateReason

        package init(
            gesture: ReactionGesture, handCount: Int, confidence: Double, origin: PicturePoint, heldSince: Double,
            heldUntil: Double, hold: Double, reason: CandidateReason
        ) {
            self.gesture = gesture
            self.handCount = handCount
            self.confidence = confidence
            self.origin = origin
            self.heldSince = heldSince
            self.heldUntil = heldUntil
            self.hold = hold
            self.reason = reason
        }

        /// How long it was held, in seconds.
        public var held: Double { heldUntil - heldSince }
    }
}
