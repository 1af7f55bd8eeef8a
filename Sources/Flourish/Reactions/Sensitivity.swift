internal import Gestures

/// How readily gestures fire: how sure the recognition must be of a gesture over the time for which it is held.
public enum Sensitivity: String, Sendable, Hashable, Codable, CaseIterable {
    /// Fewer reactions that nobody meant; a gesture that is hard to see may be missed.
    case low
    /// What is built in.
    case normal
    /// Fewer gestures that are missed; more reactions that nobody meant.
    case high
}

extension ReactionGesture {
    /// The same sign with one hand, of a gesture of two hands that has one.
    var sameWithOneHand: ReactionGesture? {
        guard let gesture = FrameGesture(rawValue: rawValue), gesture.hands == 2 else { return nil }
        return gesture.counterpart.flatMap { ReactionGesture(rawValue: $0.rawValue) }
    }
}
