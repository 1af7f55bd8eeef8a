extension ReactionPlan {
    /// The reactions that are to be shown, as a run asks for them.
    func requests() -> [ScheduledRequest] {
        reactions.filter(\.isEnabled).map { reaction in
            var request = EffectRequest(
                reactionType: reaction.reactionType, origin: reaction.origin, trigger: reaction.trigger,
                gesture: reaction.gesture)
            request.seed = reaction.seed ?? Self.seed(of: reaction)
            request.endTime = reaction.endTime
            let start = reaction.exactStart(in: source) ?? reaction.startTime
            return ScheduledRequest(seconds: start - source.startTime, request: request)
        }
    }

    /// What tells a reaction without a seed from others: the same wherever it stands in the plan.
    private static func seed(of reaction: Reaction) -> Int {
        // FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(reaction.reactionType)@\(Int((reaction.startTime * 1000).rounded()))".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return Int(truncatingIfNeeded: hash & 0x7FFF_FFFF)
    }

    /// The stretches of which the encoder is told ahead, but for those of reactions that are not shown any more.
    func anticipated() -> [Anticipation] {
        anticipations.filter { anticipation in
            !reactions.contains { reaction in
                !reaction.isEnabled && reaction.reason == nil && reaction.reactionType == anticipation.reactionType
                    && abs(reaction.startTime - anticipation.until) < 0.001
            }
        }
    }
}
