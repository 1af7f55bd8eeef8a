/// An effect with its time and place: all that drawing needs to know.
///
/// What decides (gestures, requests, schedules) and what draws meet only in a
/// list of these; nothing that draws ever looks at a hand.
struct PlannedEffect: Sendable, Hashable {
    /// Tells the effects of a session apart; counts from 1.
    let id: Int
    let reactionType: ReactionType
    /// The time stamp of the first frame drawn on, in seconds.
    let startTime: Double
    /// The first instant without the effect, in seconds; moves when it is extended.
    var endTime: Double
    let origin: PicturePoint
    let trigger: ReactionEvent.Trigger
    let gesture: ReactionGesture?
    /// Frames that were left out while it ran.
    var framesLeftOut = 0

    /// The effect as an application sees it while it runs.
    var state: ReactionEffectState {
        ReactionEffectState(
            id: id, reactionType: reactionType, startTime: startTime, endTime: nil, origin: origin)
    }
}

/// Somebody's wish for an effect, not yet tied to a frame.
struct EffectRequest: Sendable, Hashable {
    var reactionType: ReactionType
    /// The type's default place if `nil`.
    var origin: PicturePoint?
    var trigger: ReactionEvent.Trigger
    var gesture: ReactionGesture?
}
