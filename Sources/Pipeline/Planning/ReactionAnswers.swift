import Reactions

/// What a frame asks for, and what is to be told of it.
struct ReactionAnswers {
    var events: [ReactionEvent.Kind] = []
    var requests: [EffectRequest] = []
}
