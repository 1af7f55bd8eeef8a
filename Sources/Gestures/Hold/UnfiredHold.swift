/// A hold that ended without having fired although it came near: what people wonder about who held up a thumb.
package struct UnfiredHold: Sendable, Hashable {
    /// Why a hold did not fire. The raw values are those of the `reason` of candidates (docs/events.md).
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The gesture is switched off.
        case disabled
        /// The hand went elsewhere before the hold was over, and showed the gesture there.
        case moved
        /// It was lowered, or lost, before the hold was over.
        case heldTooBriefly
        /// It was held long enough, but too few of the frames showed it.
        case notSeenEnough
        /// It was answered a moment ago, and lowered before that was over.
        case coolingDown
        /// It was held long enough, but the looks at it were not sure enough.
        case notSure
        /// It was held for seconds on end, and the looks were not sure enough in all that time: the hand lay there.
        case wasThereBefore
    }

    package var gesture: FrameGesture
    package var reason: Reason
    /// What the looks agreed on, or the careful one at the end where that was less sure: 0…1.
    package var confidence: Double
    /// Where it was seen last, in the upright picture.
    package var origin: GesturePoint
    /// When the hold began, and when it was seen last, in the seconds of the observations.
    package var heldSince: Double
    package var heldUntil: Double
    /// How long it had to be held, in seconds.
    package var hold: Double
    /// The numbers of the hands that were seen last; empty where they are not known.
    package var tracks: [Int]
}
