import Effects
import MediaIO
package import Reactions

/// Records the decisions of a ``FramePlanner`` for a plan of the whole recording.
package struct PlanRecorder: Sendable {
    private(set) var reactions: [ReactionPlan.Reaction] = []
    private(set) var anticipations: [ReactionPlan.Anticipation] = []
    private(set) var layouts: [LayoutTimeline.Layout] = []
    /// True if reactions have the places of their gestures, or none, since a later pass chooses the final ones.
    private let defersPlaces: Bool

    init(defersPlaces: Bool = false) { self.defersPlaces = defersPlaces }

    /// Records the tiles from a time on, in seconds.
    mutating func record(_ tiles: [LayoutTile], at time: Double) {
        layouts.append(LayoutTimeline.Layout(startTime: time, tiles: tiles.map(\.rounded)))
    }

    /// Records the requests that were processed with a frame.
    mutating func note(
        _ answered: [(request: EffectRequest, answer: EffectTimeline.Answer)], at time: MediaTime
    ) {
        for (request, answer) in answered {
            switch answer {
            case .ignored, .refused: continue
            case .started, .extended: break
            }
            var reaction = ReactionPlan.Reaction(request.reactionType, at: time.seconds, origin: request.origin)
            reaction.startPTS = time.value
            reaction.trigger = request.trigger
            reaction.gesture = request.gesture
            reaction.tile = request.tile?.id
            reaction.coversPicture = request.tile == nil && layouts.last?.tiles.isEmpty == false
            if let seen = request.seen {
                reaction.handCount = seen.handCount
                reaction.confidence = seen.confidence
                reaction.heldSince = seen.heldSince
            }
            if case .started(let effect) = answer {
                if !defersPlaces { reaction.origin = effect.origin }
                reaction.seed = effect.seed
            }
            reactions.append(reaction)
        }
    }

    /// Records that an effect in progress ends early.
    mutating func note(_ shortened: ShortenedEffect) {
        let effect = shortened.effect
        for index in reactions.indices
        where reactions[index].isEnabled && reactions[index].reactionType == effect.reactionType
            && reactions[index].tile == effect.tile?.id && reactions[index].startTime >= effect.startTime
        {
            reactions[index].endTime = shortened.stay.start
        }
    }

    /// Records a gesture that almost fired, as the reaction that it would have started.
    mutating func note(_ candidate: ReactionEvent.CandidateDetail, as request: EffectRequest) {
        let start = min(candidate.heldSince + candidate.hold, candidate.heldUntil)
        var reaction = ReactionPlan.Reaction(request.reactionType, at: start, origin: request.origin)
        reaction.isEnabled = false
        reaction.trigger = .gesture
        reaction.gesture = candidate.gesture
        reaction.tile = candidate.tile?.id
        reaction.handCount = candidate.handCount
        reaction.confidence = candidate.confidence
        reaction.heldSince = candidate.heldSince
        reaction.heldUntil = candidate.heldUntil
        reaction.reason = candidate.reason
        reactions.append(reaction)
    }

    /// Records the reaction for which the encoder prepares at a frame; `nil` if there is none.
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

    /// Returns all recorded items in the order of their starts, with numbers.
    func plan(of source: ReactionPlan.Source, style: ReactionPlan.Style) -> ReactionPlan {
        var plan = ReactionPlan(source: source, style: style)
        plan.reactions = reactions.enumerated()
            .sorted { ($0.element.startTime, $0.offset) < ($1.element.startTime, $1.offset) }.map(\.element)
        // Reactions that did not start an effect also need a seed, in case they are enabled.
        var spare = reactions.compactMap(\.seed).max() ?? 0
        for index in plan.reactions.indices {
            plan.reactions[index].id = index + 1
            guard plan.reactions[index].seed == nil else { continue }
            spare += 1
            plan.reactions[index].seed = spare
        }
        plan.layouts = LayoutTimeline(layouts)
        plan.anticipations = anticipations
        if let last = plan.anticipations.indices.last, plan.anticipations[last].until == .infinity {
            plan.anticipations[last].until = source.endTime
        }
        return plan
    }
}

extension ReactionPlan {
    /// The types of the reactions that are shown.
    package var shownTypes: [ReactionType] { reactions.filter(\.isEnabled).map(\.reactionType) }

    /// Validates a plan against the available effects.
    /// - Throws: ``FlourishError/Code/inputUnusable``.
    package func check(_ catalog: EffectCatalog) throws(FlourishError) {
        for (index, reaction) in reactions.enumerated() where reaction.isEnabled {
            guard !catalog.types.contains(reaction.reactionType) else { continue }
            throw fault(
                index, "reactionType", EffectCatalog.unknown(reaction.reactionType, among: catalog.types).message)
        }
    }

    /// Returns the reactions of the plan as scheduled requests of a run.
    ///
    /// - Parameter choosesPlaces: Whether places of gestures are those of the hands, from which the run chooses the places
    ///   of the effects.
    package func requests(choosingPlaces choosesPlaces: Bool = false) -> [ScheduledRequest] {
        reactions.filter(\.isEnabled).map { reaction in
            var request = EffectRequest(
                reactionType: reaction.reactionType, origin: reaction.origin, trigger: reaction.trigger,
                gesture: reaction.gesture)
            if choosesPlaces, reaction.trigger == .gesture {
                request.placement = reaction.handCount == 1 ? .besideHand : .free
            }
            request.seed = reaction.seed ?? Self.seed(of: reaction)
            request.endTime = reaction.endTime
            let start = reaction.exactStart(in: source) ?? reaction.startTime
            request.tileID = reaction.tile
            // Only a plan with tiles determines the tile; otherwise the tiles of the video do.
            if reaction.coversPicture {
                request.hasTile = true
            } else if !layouts.layouts.isEmpty {
                request = request.resolved(among: layouts.tiles(at: start))
            }
            return ScheduledRequest(seconds: start - source.startTime, request: request)
        }
    }

    /// Returns the seed for a reaction that has none in the plan. It does not depend on the reaction's position in the
    /// plan.
    private static func seed(of reaction: Reaction) -> Int {
        var hash = ContentHash()
        hash.add("\(reaction.reactionType)@\(Int((reaction.startTime * 1000).rounded()))".utf8)
        return Int(truncatingIfNeeded: hash.value & 0x7FFF_FFFF)
    }

    /// Returns warnings about custom effects that have changed.
    package func changes(in catalog: EffectCatalog) -> [PipelineWarning] {
        let shown = Set(reactions.filter(\.isEnabled).map(\.reactionType))
        let now = catalog.hashes(of: shown)
        return shown.sorted { $0.rawValue < $1.rawValue }.compactMap { type in
            guard let then = style.effects[type.rawValue], now[type.rawValue] != then else { return nil }
            return PipelineWarning(
                code: .effectChanged,
                message: "the effect \(type) has changed since \(name) was made, so its appearance differs")
        }
    }

    /// Returns the intervals in which the encoder prepares for a reaction, except for reactions that are no longer
    /// shown.
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
    /// The style of a configuration.
    init(_ configuration: Configuration) {
        self.init()
        look = configuration.style
        seed = configuration.seed
    }
}

/// The result of planning after the input has ended.
package struct PlanOutcome: Sendable {
    /// The number of frames received.
    package var frameCount = 0
    /// The identifier that a further frame would have.
    package var endID = 0
    /// The end of the last frame, in seconds.
    package var endTime = 0.0
    /// The seconds from the first frame to the end of the last one.
    package var seconds = 0.0
    /// The number of effects of each type that have started.
    package var effectCounts: [ReactionType: Int] = [:]
    /// The warnings of frames that were dropped at the end.
    var warnings: [PipelineWarning] = []
    /// The warnings of scheduled reactions that never became due.
    var neverCame: [PipelineWarning] = []
    /// The end events of effects that were still running.
    var ends: [ReactionEvent] = []
    /// The events of an earlier pass whose times are after the last frame.
    var replayed: [ReactionEvent] = []
    /// The first frame's time stamp in seconds.
    var firstTime = 0.0
    /// The recorder of decisions, if a plan was requested.
    var recorder: PlanRecorder?

    /// Returns the events to emit at the end.
    ///
    /// - Parameter trailing: The warnings after the last frame.
    package func events(trailing: [PipelineWarning]) -> [ReactionEvent] {
        (warnings + trailing + neverCame).map { $0.event(time: endTime, frame: endID) } + ends
            + replayed.filter(isOfNow).map { ReactionEvent(time: endTime, frame: endID, kind: $0.kind) }
    }

    /// Returns whether a replayed event is emitted even if the run was stopped. An event after the last frame is not,
    /// unless it reports a photograph, which the earlier pass has captured.
    private func isOfNow(_ event: ReactionEvent) -> Bool { event.time <= endTime + 0.001 || event.kind.isPhotograph }
}
