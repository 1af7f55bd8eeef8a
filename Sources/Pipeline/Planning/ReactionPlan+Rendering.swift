import Effects
package import Reactions

extension ReactionPlan {
    /// Checks a valid plan against what can be shown.
    /// - Throws: ``FlourishError/Code/inputUnusable``.
    package func check(_ catalog: EffectCatalog) throws(FlourishError) {
        for (index, reaction) in reactions.enumerated() where reaction.isEnabled {
            guard !catalog.types.contains(reaction.reactionType) else { continue }
            throw fault(
                index, "reactionType", EffectCatalog.unknown(reaction.reactionType, among: catalog.types).message)
        }
    }

    /// The reactions that are to be shown, as a run asks for them.
    package func requests() -> [ScheduledRequest] {
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
        var hash = ContentHash()
        hash.add("\(reaction.reactionType)@\(Int((reaction.startTime * 1000).rounded()))".utf8)
        return Int(truncatingIfNeeded: hash.value & 0x7FFF_FFFF)
    }

    /// What is to be told of effects of somebody's own that are not what they were.
    package func changes(in catalog: EffectCatalog) -> [PipelineWarning] {
        let shown = Set(reactions.filter(\.isEnabled).map(\.reactionType))
        let now = catalog.hashes(of: shown)
        return shown.sorted { $0.rawValue < $1.rawValue }.compactMap { type in
            guard let then = style.effects[type.rawValue], now[type.rawValue] != then else { return nil }
            return PipelineWarning(
                code: .effectChanged,
                message: "the effect \(type) has changed since \(name) was made, and looks otherwise")
        }
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

extension ReactionPlan.Style {
    /// The style that a configuration asks for.
    init(_ configuration: Configuration) {
        self.init()
        look = configuration.style
        seed = configuration.seed
    }
}
