/// A gesture that is being held and does not count yet.
public struct GestureHold: Sendable, Hashable, Codable {
    /// What the hands say.
    public var gesture: ReactionGesture
    /// How much of the time is over for which it must be held, 0…1.
    public var progress: Double

    /// A gesture and how far its hold has come.
    public init(gesture: ReactionGesture, progress: Double) {
        self.gesture = gesture
        self.progress = progress
    }
}
