import MediaIO
import Reactions

/// Notes what planning decides, for a plan of the whole recording.
package struct PlanRecorder: Sendable {
    private(set) var reactions: [ReactionPlan.Reaction] = []
    private(set) var anticipations: [ReactionPlan.Anticipation] = []

    /// Notes what a frame answered.
    mutating func note(
        _ answered: [(request: EffectRequest, answer: EffectTimeline.Answer)], at time: MediaTime
    ) {
        for (request, answer) in answered where answer != .ignored {
            var reaction = ReactionPlan.Reaction(request.reactionType, at: time.seconds, origin: request.origin)
            reaction.startPTS = time.value
            reaction.trigger = request.trigger
            reaction.gesture = request.gesture
            if let seen = request.seen {
                reaction.handCount = seen.handCount
                reaction.confidence = seen.confidence
                reaction.heldSince = seen.heldSince
            }
            if case .started(let effect) = answer {
                reaction.origin = effect.origin
                reaction.seed = effect.seed
            }
            reactions.append(reaction)
        }
    }

    /// Notes a gesture that nearly fired, as the reaction that it would have started.
    mutating func note(_ candidate: ReactionEvent.CandidateDetail, as request: EffectRequest) {
        let start = min(candidate.heldSince + candidate.hold, candidate.heldUntil)
        var reaction = ReactionPlan.Reaction(request.reactionType, at: start, origin: request.origin)
        reaction.isEnabled = false
        reaction.trigger = .gesture
        reaction.gesture = candidate.gesture
        reaction.handCount = candidate.handCount
        reaction.confidence = candidate.confidence
        reaction.heldSince = candidate.heldSince
        reaction.heldUntil = candidate.heldUntil
        reaction.reason = candidate.reason
        reactions.append(reaction)
    }

    /// Notes which reaction the encoder is told of ahead at a frame.
    mutating func note(_ coming: ComingReaction?, at time: Double) {
        if let last = anticipations.indices.last, anticipations[last].until == .infinity {
            if let coming, anticipations[last].reactionType == coming.reactionType,
                anticipations[last].startTime == coming.time
            {
                return
            }
            anticipations[last].until = time
        }
        guard let coming else { return }
        anticipations.append(
            ReactionPlan.Anticipation(
                from: time, until: .infinity, reactionType: coming.reactionType, startTime: coming.time))
    }

    /// Everything in the order of its start, numbered.
    func plan(of source: ReactionPlan.Source, style: ReactionPlan.Style) -> ReactionPlan {
        var plan = ReactionPlan(source: source, style: style)
        plan.reactions = reactions.enumerated()
            .sorted { ($0.element.startTime, $0.offset) < ($1.element.startTime, $1.offset) }.map(\.element)
        // Those that started nothing need a look of their own, too, for the case that they do.
        var spare = reactions.compactMap(\.seed).max() ?? 0
        for index in plan.reactions.indices {
            plan.reactions[index].id = index + 1
            guard plan.reactions[index].seed == nil else { continue }
            spare += 1
            plan.reactions[index].seed = spare
        }
        plan.anticipations = anticipations
        if let last = plan.anticipations.indices.last, plan.anticipations[last].until == .infinity {
            plan.anticipations[last].until = source.endTime
        }
        return plan
    }
}
