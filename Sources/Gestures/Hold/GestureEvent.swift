package import Reactions

/// A gesture that was held long enough to be answered.
package struct GestureEvent: Sendable, Hashable {
    package var gesture: FrameGesture
    /// How many hands take part: 1 or 2.
    package var hands: Int
    /// The mean over the sights of the hold: 0…1.
    package var confidence: Double
    /// Where the gesture was when it fired, in the upright picture.
    package var origin: PicturePoint
    /// When the hold began, in the seconds of the observations.
    package var heldSince: Double
    /// The time of the observation that completed the hold, in seconds.
    package var time: Double

    package init(
        gesture: FrameGesture, confidence: Double, origin: PicturePoint, heldSince: Double,
        time: Double
    ) {
        self.gesture = gesture
        self.hands = gesture.hands
        self.confidence = confidence
        self.origin = origin
        self.heldSince = heldSince
        self.time = time
    }
}
