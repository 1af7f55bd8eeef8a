import Gestures
import MediaIO
import RateControl
package import Reactions
import Synchronization

/// Where planning begins, if not with the first frame of a video.
package struct PlanningStart: Sendable, Hashable {
    /// The first frame's time stamp, in seconds.
    package var firstTime: Double
    /// What tells the next effect apart.
    var effectID: Int
}

/// Decides what each frame shows: turns gestures, requests and schedules into a ``FramePlan``.
///
/// Used by one thread at a time.
package struct FramePlanner {
    private let control: SessionControl
    private var gestures: GestureReactions
    private var schedule: ReactionSchedule
    /// What a plan says of gestures that were foreseen.
    private let anticipations: [ReactionPlan.Anticipation]
    /// What was seen when the recording was looked through before, to be told in its turn.
    private var heard: ArraySlice<ReactionEvent>
    /// Writes down what is decided, where somebody wants a plan.
    private var recorder: PlanRecorder?
    /// Chooses where effects start; without one, they start where gestures and presets say.
    private let placer: EffectPlacer?
    private var timeline: EffectTimeline
    private var thinning: FrameThinning
    private let ledger: FrameLedger
    /// The id that the next frame has.
    private var nextID = 0
    private var clock = VideoClock()
    /// Says what to leave out where a live run's machine is too slow.
    private let quality: LiveQuality?
    /// Says how much room effects have where bits are limited.
    private let outlook: EncoderOutlook?
    /// Keeps faces fine; `nil` where nobody asked for it.
    private let protection: FaceProtection?
    /// The effects in the style of the last frame; without it the style stays as it is.
    private var catalog: EffectCatalog?
    private var look = EffectLook()
    /// What waits for the next frame that stays.
    private var pending = Pending()

    /// What frames that were left out bore.
    private struct Pending {
        var warnings: [PipelineWarning] = []
        var steps: [LoadLadder.Step] = []
        var answers = ReactionAnswers()
    }

    package init(
        presets: [ReactionType: EffectTimeline.Preset], catalog: EffectCatalog? = nil, schedule: [ScheduledRequest],
        anticipations: [ReactionPlan.Anticipation] = [],
        bindings: [ReactionGesture: ReactionType] = [:], placer: EffectPlacer? = nil,
        thinning: FrameThinning = FrameThinning(limit: nil, inputRate: nil), ledger: FrameLedger = FrameLedger(),
        quality: LiveQuality? = nil,
        detail: Double? = nil, outlook: EncoderOutlook? = nil,
        protection: FaceProtection? = nil, recorder: PlanRecorder? = nil, heard: [ReactionEvent] = [],
        startingAt start: PlanningStart? = nil,
        control: SessionControl
    ) {
        self.quality = quality
        self.catalog = catalog
        self.outlook = outlook
        timeline = EffectTimeline(presets: presets, firstID: start?.effectID ?? 1)
        clock = VideoClock(firstTime: start?.firstTime)
        timeline.detail = detail
        gestures = GestureReactions(bindings: bindings)
        self.schedule = ReactionSchedule(schedule)
        self.anticipations = anticipations
        self.recorder = recorder
        self.heard = heard[...]
        self.placer = placer
        self.thinning = thinning
        self.ledger = ledger
        self.protection = protection
        self.control = control
        if let catalog { look.style = catalog.style }
    }

    /// Frames that came.
    package var frameCount: Int { clock.frameCount }
    /// Whether the next frame's picture may be looked at or drawn on, unless a gesture is found in it, or somebody asks
    /// for something meanwhile.
    package func needsPicture(at time: Double) -> Bool {
        !timeline.running.isEmpty || !schedule.due(at: time, since: clock.firstTime ?? time).isEmpty
            || control.hasRequests
    }

    /// Decides on one frame.
    ///
    /// - Returns: `nil` where it is left out; what it bore is told with the next one that stays.
    package mutating func plan(_ item: borrowing PipelineFrame) -> FramePlan? {
        clock.follow(item.time, duration: item.frame.duration?.seconds)
        if clock.frameCount == 1 { catchUp(until: item.time) }
        nextID = item.plan.id + 1
        followLoad(at: item.time)
        let switches = control.switches(at: item.time)
        ask(item, switches)
        guard thinning.keeps(item.time, during: timeline.running) else {
            ledger.leaveOut(item.plan.id)
            return nil
        }
        var plan = FramePlan(time: item.time, id: item.plan.id)
        tellPending(to: &plan)
        while let event = heard.first, event.time <= item.time {
            plan.tell(event.kind)
            heard.removeFirst()
        }
        let orders = control.takeOrders()
        follow(orders.style)
        timeline.cancel(orders.cancelled)
        request(orders.requests, switches, on: item, to: &plan)
        advance(item, &plan)
        if switches.reactionsEnabled {
            plan.demands += schedule.demands(after: item.time, since: clock.firstTime, in: timeline)
            plan.demands += foreseen(item)
            plan.coming = comingTypes(at: item.time)
        }
        protectFaces(item.frame, &plan)
        if let warning = placer?.takeWarning() { plan.tell(warning) }
        plan.look = look
        return plan
    }

    /// Ends what runs when the input ends.
    package mutating func finish() -> PlanOutcome {
        PlanOutcome(
            frameCount: clock.frameCount, endID: nextID, endTime: clock.endTime, seconds: clock.seconds,
            effectCounts: timeline.counts, warnings: pending.warnings, neverCame: schedule.leftOver(),
            ends: published(timeline.finish(at: clock.endTime, frame: nextID)), heard: Array(heard),
            firstTime: clock.firstTime ?? 0,
            recorder: recorder)
    }
}

// MARK: - What is asked for

extension FramePlanner {
    /// Takes what gestures ask for at a frame, whether it stays or not. Places are chosen on the frame with which
    /// something is asked for, so that they do not depend on which frames stay.
    private mutating func ask(_ item: borrowing PipelineFrame, _ switches: SessionControl.Switches) {
        pending.warnings += item.warnings
        for index in schedule.due(at: item.time, since: clock.firstTime) {
            schedule.entries[index].request = placed(schedule.entries[index].request, on: item)
        }
        guard switches.gesturesEnabled, !item.findings.isEmpty else { return }
        let answers = gestures.answers(to: item.findings, reactionsEnabled: switches.reactionsEnabled)
        pending.answers.events += answers.events
        for request in answers.requests { pending.answers.requests.append(placed(request, on: item)) }
        if recorder != nil { record(answers.events, on: item) }
    }

    /// Notes the gestures that nearly fired, with the places that their reactions would have.
    private mutating func record(_ events: [ReactionEvent.Kind], on item: borrowing PipelineFrame) {
        for case .candidate(let candidate) in events {
            let request = placed(gestures.request(for: candidate), on: item)
            recorder?.note(candidate, as: request)
        }
    }

    /// A request with the place that keeps faces free, if it starts an effect and may be moved.
    private func placed(_ request: EffectRequest, on item: borrowing PipelineFrame) -> EffectRequest {
        // The small icons of the calm style have places of their own.
        guard let placer, catalog?.style.isCalm != true, request.placement != .exact,
            let preset = timeline.origin(of: request.reactionType, at: item.time)
        else { return request }
        var placed = request
        placed.placement = .exact
        placed.origin = placer.origin(
            of: request.reactionType, hand: request.placement == .besideHand ? request.origin : nil,
            preset: request.origin ?? preset, on: item.frame)
        return placed
    }

    /// Starts what started before the first frame, as far as it is still in progress.
    private mutating func catchUp(until first: Double) {
        for entry in schedule.takeEarlier() {
            timeline.request(entry.request)
            _ = timeline.advance(to: first + entry.seconds, frame: 0)
        }
    }

    /// Hands on what this frame, and those left out before it, ask for.
    private mutating func request(
        _ orders: [EffectRequest], _ switches: SessionControl.Switches, on item: borrowing PipelineFrame,
        to plan: inout FramePlan
    ) {
        let due = schedule.take(
            at: item.time, since: clock.firstTime, reactionsEnabled: switches.reactionsEnabled)
        for kind in pending.answers.events + due.events { plan.tell(kind) }
        for request in pending.answers.requests { timeline.request(request) }
        if switches.reactionsEnabled {
            for request in orders { timeline.request(placed(request, on: item)) }
        }
        for request in due.requests { timeline.request(request) }
        pending.answers = ReactionAnswers()
    }

    /// What is about to come: what is scheduled, and what somebody's hand is asking for;
    /// in a live run everything, since a request is to be seen in the next frame.
    private func comingTypes(at time: Double) -> [ReactionType] {
        if quality != nil, let catalog { return catalog.types }
        var types = schedule.types(until: time + 1, since: clock.firstTime)
        if let gesture = control.state.withLock({ $0.hold?.gesture }) {
            types.append(gestures.reactionType(for: gesture))
        }
        return types
    }
}

// MARK: - What is shown

extension FramePlanner {
    /// Goes on to a frame that stays: effects end, are extended and start.
    private mutating func advance(_ item: borrowing PipelineFrame, _ plan: inout FramePlan) {
        timeline.budget = outlook?.budget(pixels: item.frame.width * item.frame.height)
        plan.events += published(timeline.advance(to: item.time, frame: plan.id))
        recorder?.note(timeline.answered, at: item.frame.time)
        let showsEffects = !timeline.running.isEmpty
        if let change = thinning.follow(showsEffects: showsEffects, step: clock.lastStep) {
            plan.tell(.frameRateChanged(change))
        }
        plan.leastDuration = thinning.leastDuration(showsEffects: showsEffects, step: clock.lastStep)
        plan.effects = timeline.running
        plan.demands = timeline.demands
    }

    /// What a gesture that is being held is about to ask of the encoder.
    private mutating func foreseen(_ item: borrowing PipelineFrame) -> [EffectDemand] {
        let planned = anticipations.first {
            // Half a millisecond: a plan's times are rounded.
            $0.from <= item.time + 0.0005 && item.time + 0.0005 < $0.until
        }
        let coming =
            item.coming.map(gestures.coming)
            ?? planned.map { ComingReaction(reactionType: $0.reactionType, time: $0.startTime) }
        let demand = coming?.demand(after: item.time, in: timeline)
        recorder?.note(demand == nil ? nil : coming, at: item.time)
        return demand.map { [$0] } ?? []
    }

    private func protectFaces(_ frame: borrowing VideoFrame, _ plan: inout FramePlan) {
        guard let protection, !plan.effects.isEmpty else { return }
        plan.regions = protection.regions(of: frame, at: plan.time)
        if let warning = protection.takeWarning() { plan.tell(warning) }
    }

    /// Leaves out more, or less, where the load says so.
    private mutating func followLoad(at time: Double) {
        guard let quality else { return }
        let step = quality.advance(to: time)
        control.state.withLock { $0.quality = quality.state }
        guard let step else { return }
        thinning.halving = quality.halving
        look.maskStretch = quality.maskStretch
        look.detail = quality.detail
        pending.steps.append(step)
    }

    private mutating func tellPending(to plan: inout FramePlan) {
        for warning in pending.warnings { plan.tell(warning) }
        for step in pending.steps {
            plan.tell(.qualityChanged(.init(from: "\(step.from)", to: "\(step.to)", load: step.load)))
        }
        pending.warnings.removeAll()
        pending.steps.removeAll()
    }

    /// Draws as somebody wants it from this frame on, effects in progress too.
    private mutating func follow(_ style: ReactionStyle) {
        guard let catalog, style != catalog.style else { return }
        let styled = catalog.styled(style)
        self.catalog = styled
        timeline.presets = styled.presets
        look.style = style
    }

    /// Lets applications see the new set of effects before they are told of it.
    private func published(_ events: [ReactionEvent]) -> [ReactionEvent] {
        guard !events.isEmpty else { return events }
        control.state.withLock { $0.inProgress = timeline.running.map(\.state) }
        return events
    }
}
