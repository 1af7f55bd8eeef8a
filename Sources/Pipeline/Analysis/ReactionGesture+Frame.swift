import Gestures
package import Reactions

extension ReactionGesture {
    /// The same sign with one hand, of a gesture of two hands that has one.
    package var sameWithOneHand: ReactionGesture? {
        guard let gesture = FrameGesture(self), gesture.hands == 2 else { return nil }
        return gesture.counterpart?.name
    }
}
