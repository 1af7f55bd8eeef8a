import Gestures
import MediaIO
import RateControl
import Synchronization

/// Decides which effects each frame shows and draws them.
///
/// Input: frames with the gestures that they completed. Output: the same frames,
/// untouched and uncopied where no effect is in progress; fewer where effects run at a
/// lower rate.
///
/// Used by one thread at a time; its results are read after that thread has ended.
final class DrawStage: @unchecked Sendable {
    private let control: SessionControl
    /// The effects in the style of the last frame; without it the style stays as it is.
    private var catalog: EffectCatalog?
    /// Draws; without one, effects are only told.
    private let painter: EffectPainter?
    /// Chooses where effects start; without one, they start where gestures and presets say.
    private let placer: EffectPlacer?
    private let pool: FramePool
    /// What gestures trigger instead of their usual reactions.
    private let bindings: [ReactionGesture: ReactionType]
    private var timeline: EffectTimeline
    private var thinning: FrameThinning
    /// Says what to leave out where a live run's machine is too slow.
    private let quality: LiveQuality?
    /// Says how much room effects have where bits are limited.
    private let outlook: EncoderOutlook?
    private var untoldSteps: [LoadLadder.Step] = []
    /// Keeps faces fine; `nil` where nobody asked for it.
    private let protection: FaceProtection?
    /// What is still to come, sorted by time.
    private var schedule: [ScheduledReaction]
    private var firstTime: Double?
    private var lastTime: Double?
    private var lastStep = 0.0
    /// When the last frame ends, in seconds.
    private(set) var endTime = 0.0
    /// Frames that came.
    private(set) var frameCount = 0

    init(
        presets: [ReactionType: EffectTimeline.Preset], catalog: EffectCatalog? = nil, schedule: [ScheduledReaction],
        bindings: [ReactionGesture: ReactionType] = [:], placer: EffectPlacer? = nil,
        thinning: FrameThinning = FrameThinning(limit: nil, inputRate: nil), quality: LiveQuality? = nil,
        detail: Double? = nil, outlook: EncoderOutlook? = nil,
        protection: FaceProtection? = nil,
        painter: EffectPainter?, pool: FramePool, control: SessionControl
    ) {
        self.quality = quality
        self.catalog = catalog
        self.bindings = bindings
        self.outlook = outlook
        timeline = EffectTimeline(presets: presets)
        timeline.detail = detail
        self.schedule = schedule.sorted { $0.seconds < $1.seconds }
        self.placer = placer
        self.thinning = thinning
        self.protection = protection
        self.painter = painter
        self.pool = pool
        self.control = control
    }

    /// How many effects of each type have started.
    var effectCounts: [ReactionType: Int] { timeline.counts }
    /// Frames that stayed.
    var outputCount: Int { frameCount - thinning.count }
    /// Seconds from the first frame to the end of the last one.
    var seconds: Double { firstTime.map { endTime - $0 } ?? 0 }

    /// Decides and draws one frame.
    /// - Returns: whether it stays; what it bore is told with the next one if not.
    /// - Throws: `MediaError` where there is no memory for a copy of the frame.
    func process(_ item: inout PipelineFrame) throws -> Bool {
        follow(item)
        followLoad(at: item.time)
        guard thinning.keeps(&item, during: timeline.running) else {
            timeline.noteLeftOutFrame()
            return false
        }
        for warning in item.warnings { item.tell(warning) }
        tellSteps(to: &item)
        let orders = control.takeOrders()
        follow(orders.style)
        timeline.cancel(orders.cancelled)
        for hold in item.findings.unfired where orders.gesturesEnabled {
            if let candidate = ReactionEvent.CandidateDetail(hold) { item.tell(.candidate(candidate)) }
        }
        for event in item.findings.fired where orders.gesturesEnabled {
            guard let gesture = ReactionGesture(rawValue: event.gesture.rawValue) else { continue }
            let origin = PicturePoint(x: event.origin.x, y: event.origin.y)
            item.tell(.gesture(ReactionEvent.GestureDetail(
                gesture: gesture, handCount: event.hands, confidence: event.confidence, origin: origin,
                heldSince: event.heldSince)))
            guard orders.reactionsEnabled else { continue }
            let request = EffectRequest(
                reactionType: bindings[gesture] ?? gesture.reactionType, origin: origin,
                trigger: .gesture, gesture: gesture)
            timeline.request(placed(request, hand: event.hands == 1 ? origin : nil, on: item.frame))
        }
        let due = dueReactions(at: item.time)
        if orders.reactionsEnabled {
            for request in orders.requests + due.map(\.request) {
                timeline.request(request.origin == nil ? placed(request, hand: nil, on: item.frame) : request)
            }
        } else {
            for reaction in due { item.tell(reaction.notShown("reactions are switched off (effects.reactions)")) }
        }
        timeline.budget = outlook?.budget(from: item.index, pixels: item.frame.width * item.frame.height)
        let happened = timeline.advance(to: item.time, frame: item.index)
        if !happened.isEmpty { item.events += published(happened) }
        if let change = thinning.follow(&item, showsEffects: !timeline.running.isEmpty, step: lastStep) {
            item.tell(.frameRateChanged(change))
        }
        item.loads = timeline.loads
        if orders.reactionsEnabled {
            item.loads += scheduledLoads(after: item.time)
            if let load = heldLoad(item.coming, after: item.time) { item.loads.append(load) }
        }
        if let protection, !timeline.running.isEmpty {
            item.frame.regions = protection.regions(of: item.frame, at: item.time)
            for warning in protection.takeWarnings() { item.tell(warning) }
        }
        if orders.reactionsEnabled { prepareComing(item) }
        if let painter, !timeline.running.isEmpty {
            try painter.draw(timeline.running, at: item.time, on: &item.frame, pool: pool)
            for warning in painter.takeWarnings() { item.tell(warning) }
        }
        control.pictures.offer(item.frame)
        return true
    }

    /// Ends what runs when the input ends.
    /// - Returns: what is to be told of that, and of what never came.
    func finish(trailing warnings: [PipelineWarning]) -> [ReactionEvent] {
        var warnings = thinning.takeWarnings() + warnings
        warnings += schedule.map { $0.notShown("the video ends before") }
        let told = warnings.map { $0.event(time: endTime, frame: outputCount) }
        return told + published(timeline.finish(at: endTime, frame: outputCount))
    }

    /// Leaves out more, or less, where the load says so.
    private func followLoad(at time: Double) {
        guard let quality, let step = quality.advance(to: time) else { return }
        thinning.halving = quality.halving
        painter?.maskStretch = quality.maskStretch
        painter?.detail = quality.detail
        untoldSteps.append(step)
    }

    private func tellSteps(to item: inout PipelineFrame) {
        for step in untoldSteps {
            item.tell(.qualityChanged(.init(from: "\(step.from)", to: "\(step.to)", load: step.load)))
        }
        untoldSteps.removeAll()
    }

    /// Draws as somebody wants it from this frame on, effects in progress too.
    private func follow(_ style: ReactionStyle) {
        guard let catalog, style != catalog.style else { return }
        let styled = catalog.styled(style)
        self.catalog = styled
        timeline.presets = styled.presets
        painter?.setLibrary(of: styled)
    }

    /// Keeps the clock: where the video began, where it would end after this frame.
    private func follow(_ item: borrowing PipelineFrame) {
        if let lastTime { lastStep = max(item.time - lastTime, 0) } else { firstTime = item.time }
        lastTime = item.time
        // A frame without duration is taken to last as long as the one before.
        endTime = item.time + (item.frame.duration?.seconds ?? lastStep)
        frameCount += 1
    }

    /// The scheduled reactions whose time has come.
    private func dueReactions(at time: Double) -> [ScheduledReaction] {
        guard let firstTime, !schedule.isEmpty else { return [] }
        // Half a millisecond: time stamps of milliseconds are rounded.
        let due = schedule.prefix { $0.seconds <= time - firstTime + 0.0005 }
        schedule.removeFirst(due.count)
        return Array(due)
    }

    /// Has the painter prepare what is about to come: what is scheduled, and what somebody's hand is asking for;
    /// in a live run everything, since a request is to be seen in the next frame.
    private func prepareComing(_ item: borrowing PipelineFrame) {
        guard let painter, let firstTime else { return }
        if quality != nil, let catalog { return painter.prepare(catalog.types, for: item.frame) }
        var types = schedule.prefix { $0.seconds <= item.time - firstTime + 1 }.map(\.reactionType)
        if let gesture = control.state.withLock({ $0.hold?.gesture }) {
            types.append(bindings[gesture] ?? gesture.reactionType)
        }
        if !types.isEmpty { painter.prepare(types, for: item.frame) }
    }

    /// What is known to start within the encoder's lead.
    private func scheduledLoads(after time: Double) -> [EffectLoad] {
        guard let firstTime, !schedule.isEmpty else { return [] }
        return schedule.prefix { $0.seconds <= time - firstTime + EncoderGovernor.lead }
            .compactMap { timeline.load(of: $0.reactionType, at: firstTime + $0.seconds) }
    }

    /// What a gesture that is being held will ask of the encoder, once it is as good as complete. It may come
    /// a little later than expected, or not at all.
    private func heldLoad(_ coming: ComingGesture?, after time: Double) -> EffectLoad? {
        guard let coming, coming.time - EncoderGovernor.lead <= time, time < coming.time + Self.patience
        else { return nil }
        let type = bindings[coming.gesture] ?? coming.gesture.reactionType
        guard !timeline.running.contains(where: { $0.reactionType == type }) else { return nil }
        return timeline.load(of: type, at: max(coming.time, time + EncoderGovernor.lead / 2))
    }

    /// For so many seconds after its time a hold that is neither complete nor broken counts as coming.
    private static let patience = 0.3

    /// The request with the place that keeps faces free, if it starts an effect. What two hands
    /// ask for stays between them.
    private func placed(
        _ request: EffectRequest, hand: PicturePoint?, on frame: borrowing VideoFrame
    ) -> EffectRequest {
        let isBetweenHands = request.trigger == .gesture && hand == nil
        // The small icons of the calm style have places of their own.
        guard let placer, catalog?.style.isCalm != true, !isBetweenHands, let preset = timeline.origin(of: request.reactionType) else {
            return request
        }
        var request = request
        request.origin = placer.origin(
            of: request.reactionType, hand: hand, preset: request.origin ?? preset, on: frame)
        return request
    }

    /// Lets applications see the new set of effects before they are told of it.
    private func published(_ events: [ReactionEvent]) -> [ReactionEvent] {
        control.state.withLock { $0.inProgress = timeline.running.map(\.state) }
        return events
    }
}

extension ScheduledReaction {
    fileprivate var request: EffectRequest {
        EffectRequest(reactionType: reactionType, origin: origin, trigger: .schedule, gesture: nil)
    }

    fileprivate func notShown(_ reason: String) -> PipelineWarning {
        PipelineWarning(code: .reactionNotShown, message: "\(reactionType) at \(seconds) s was not shown: \(reason)")
    }
}
