/// An effect that is in progress, or was.
public struct ReactionEffectState: Sendable, Hashable {
    /// Tells effects of one session apart; counts from 1 in order of their start.
    public let id: Int
    /// What is shown.
    public let reactionType: ReactionType
    /// The time stamp of the first frame that was drawn on, in seconds.
    public let startTime: Double
    /// While the effect runs: `nil`. Then the time stamp of the first frame *without* it.
    public package(set) var endTime: Double?
    /// Where the effect starts in the upright picture.
    public let origin: PicturePoint

    package init(id: Int, reactionType: ReactionType, startTime: Double, endTime: Double? = nil, origin: PicturePoint) {
        self.id = id
        self.reactionType = reactionType
        self.startTime = startTime
        self.endTime = endTime
        self.origin = origin
    }
}

extension ReactionEffectState {
    /// The effect that an event tells of.
    package init(_ effect: ReactionEvent.EffectDetail) {
        self.init(
            id: effect.id, reactionType: effect.reactionType, startTime: effect.startTime, endTime: nil,
            origin: effect.origin)
    }
}
