package import Reactions

/// A hold that ended without having fired although it came near: what people wonder about who held up a thumb.
package struct UnfiredHold: Sendable, Hashable {
    package var gesture: FrameGesture
    /// Why it did not fire.
    package var reason: ReactionEvent.CandidateReason
    /// What the looks agreed on, or the careful one at the end where that was less sure: 0…1.
    package var confidence: Double
    /// Where it was seen last, in the upright picture.
    package var origin: PicturePoint
    /// When the hold began, and when it was seen last, in the seconds of the observations.
    package var heldSince: Double
    package var heldUntil: Double
    /// How long it had to be held, in seconds.
    package var hold: Double
    /// The numbers of the hands that were seen last; empty where they are not known.
    package var tracks: [Int]
}
