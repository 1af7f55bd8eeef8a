import MediaIO
import RateControl
import Reactions
import Vision

/// Plans each frame: turns gestures, requests and schedules into a ``FramePlan``. It owns the effects in progress. A
/// ``ReactionEngine`` uses it.
///
/// Used by one thread at a time.
struct FramePlanner {
    private var gestures: GestureReactions
    private var schedule: ReactionSchedule
    /// The intervals in which a gesture was about to trigger a reaction, according to the plan.
    private let anticipations: [ReactionPlan.Anticipation]
    /// The events of an earlier pass, which are emitted when their times come.
    private var replayed: ArraySlice<ReactionEvent>
    /// Records decisions for a plan; nil if no plan is made.
    private var recorder: PlanRecorder?
    /// Moves effects away from faces. If nil, effects start at the places of gestures and presets.
    private let placer: EffectPlacer?
    /// Follows the heads from which effects move aside. If nil, effects do not move.
    private let heads: HeadFollower?
    private var timeline: EffectTimeline
    /// The tiles of a recording according to an earlier pass or a plan.
    private let layouts: LayoutTimeline?
    /// The tiles at the last frame; empty if the picture is not a gallery.
    private var tiles: [LayoutTile] = []
    /// The tiles in the last event about tiles.
    private var emittedTiles: [LayoutTile] = []
    private var thinning: FrameThinning
    private let numbering: FrameNumbering
    /// The id of the next frame.
    private var nextID = 0
    private var clock: VideoClock
    /// Decides what a live run omits on a slow machine; nil in other runs.
    private let quality: LiveQuality?
    /// Estimates the bits available for effects if the bit rate is limited.
    private let statistics: DelayedEncoderStatistics?
    /// Requests higher quality for faces from the encoder; nil if face protection is off.
    private let protection: FaceProtection?
    /// The effects in the style of the last frame.
    private var catalog: EffectCatalog
    private var appearance = EffectAppearance()
    /// Follows people with a virtual camera; nil if no picture is drawn.
    private let framing: AutoFraming?
    /// The part of the picture that the next frame shows; `nil` for the whole picture.
    private var crop: PictureCrop? { didSet { timeline.crop = crop } }
    /// The effects on the whole video at the last frame.
    private var videoEffects = VideoEffects()
    private var pending = Pending()
    /// False for a segment of a video, which may end before the picture that stands: see ``TouchedFrames``.
    private let warnsOfStays: Bool
    /// The interval of the last frame; `nil` if its end is unknown.
    private var lastStay: PictureStay?

    /// Warnings, quality changes and replies to gestures that are carried over from dropped frames to the next kept
    /// frame.
    private struct Pending {
        var warnings: [PipelineWarning] = []
        var steps: [QualityLadder.Step] = []
        var events: [ReactionEvent.Kind] = []
        var requests: [EffectRequest] = []
    }

    init(_ setup: ReactionEngine.Setup) {
        let faces = FaceFinder(resources: setup.resources)
        catalog = setup.catalog
        appearance.style = catalog.style
        gestures = GestureReactions(bindings: [:])
        schedule = ReactionSchedule(setup.schedule)
        anticipations = setup.anticipations
        replayed = setup.replayed[...]
        recorder = setup.recorder
        placer = setup.avoidsFaces ? EffectPlacer(catalog: catalog, finder: faces) : nil
        heads = setup.avoidsFaces && setup.drawing != .none ? HeadFollower(finder: faces) : nil
        protection = setup.protectsFaces ? FaceProtection(finder: faces) : nil
        framing = setup.drawing == .onFrames ? AutoFraming(finder: faces) : nil
        timeline = EffectTimeline(presets: catalog.presets, firstID: setup.start?.effectID ?? 1)
        timeline.detail = setup.detail
        layouts = setup.layouts
        clock = VideoClock(firstTime: setup.start?.firstTime)
        warnsOfStays = setup.start == nil
        thinning = setup.thinning
        numbering = setup.numbering
        quality = setup.quality
        statistics = setup.statistics
    }

    /// The number of frames received.
    var frameCount: Int { clock.frameCount }

    /// See ``ReactionEngine/needsPicture(at:)``.
    func needsPicture(at time: Double) -> Bool {
        !videoEffects.isOff || crop != nil || !timeline.running.isEmpty
            || !schedule.due(at: time, since: clock.firstTime ?? time).isEmpty
    }

    /// Plans one frame, or drops it.
    ///
    /// - Parameter requests: See ``ReactionEngine/process(_:_:requests:)``.
    /// - Returns: `nil` if the frame is dropped. Its events are emitted with the next kept frame.
    mutating func plan(
        _ item: borrowing PipelineFrame, _ switches: EngineSwitches, requests: () -> EngineRequests
    ) -> FramePlan? {
        clock.follow(item.time, duration: item.frame.duration?.seconds)
        lastStay = item.shownUntil.map { PictureStay(start: item.time, end: $0) }
        if clock.frameCount == 1 { catchUp(until: item.time) }
        nextID = item.plan.id + 1
        followLoad(at: item.time)
        followLayout(item)
        followPeople(in: item, switches)
        gestures.bindings = switches.bindings
        ask(item, switches)
        guard thinning.keeps(item.time, during: timeline.running) else {
            numbering.leaveOut(item.plan.id)
            return nil
        }
        var plan = FramePlan(time: item.time, id: item.plan.id)
        emitPending(to: &plan)
        while let event = replayed.first, event.time <= item.time {
            plan.emit(event.kind)
            replayed.removeFirst()
        }
        let requests = requests()
        follow(requests.style)
        timeline.cancel(requests.cancelled)
        let due = request(requests.effects, switches, on: item, to: &plan)
        advance(item, &plan)
        warn(item, due, &plan)
        if switches.reactionsEnabled {
            plan.demands += schedule.demands(after: item.time, since: clock.firstTime, in: timeline)
            plan.demands += foreseen(item)
            plan.coming = comingTypes(at: item.time, heldGesture: requests.heldGesture)
            plan.tiles = tiles
        }
        if switches.drawsHoldRings, switches.gesturesEnabled {
            plan.rings = item.coming?.cropped(to: crop).rings(at: item.time) ?? []
        }
        follow(switches.videoEffects, &plan)
        if !plan.video.isOff { plan.video.hands = item.hands.map { $0.cropped(to: crop) } }
        protectFaces(item.frame, &plan)
        if let warning = placer?.takeWarning() ?? heads?.takeWarning() { plan.emit(warning) }
        for warning in framing?.takeWarnings() ?? [] { plan.emit(warning) }
        plan.appearance = appearance
        if let crop { show(crop, in: &plan) }
        return plan
    }

    /// Ends the effects in progress when the input ends.
    mutating func finish() -> PlanOutcome {
        PlanOutcome(
            frameCount: clock.frameCount, endID: nextID, endTime: clock.endTime, seconds: clock.seconds,
            effectCounts: timeline.counts, warnings: pending.warnings,
            neverCame: schedule.leftOver(after: lastStay, since: clock.firstTime),
            ends: timeline.finish(at: clock.endTime, frame: nextID), replayed: Array(replayed),
            firstTime: clock.firstTime ?? 0,
            recorder: recorder)
    }
}

// MARK: - Requests

extension FramePlanner {
    /// Collects the requests at a frame, whether or not the frame is kept. Places are chosen on the frame of a request,
    /// so they do not depend on which frames are kept.
    private mutating func ask(_ item: borrowing PipelineFrame, _ switches: EngineSwitches) {
        pending.warnings += item.warnings
        for index in schedule.due(at: item.time, since: clock.firstTime) {
            schedule.entries[index].request = placed(schedule.entries[index].request.resolved(among: tiles), on: item)
        }
        guard switches.gesturesEnabled, !item.findings.isEmpty else { return }
        let answers = gestures.answers(to: item.findings, reactionsEnabled: switches.reactionsEnabled)
        pending.events += answers.events
        for request in answers.requests { pending.requests.append(placed(request.resolved(among: tiles), on: item)) }
        if recorder != nil { record(answers.events, on: item) }
    }

    /// Records the gestures that almost fired, with the places that their reactions would have.
    private mutating func record(_ events: [ReactionEvent.Kind], on item: borrowing PipelineFrame) {
        for case .candidate(let candidate) in events {
            let request = placed(gestures.request(for: candidate), on: item)
            recorder?.note(candidate, as: request)
        }
    }

    /// Returns a request with a place at which its effect covers no face. The request is unchanged if its effect
    /// already runs or must not be moved.
    private func placed(_ request: EffectRequest, on item: borrowing PipelineFrame) -> EffectRequest {
        // The small icons of the calm style have separate places.
        guard let placer, !catalog.style.isCalm, request.placement != .exact,
            let preset = timeline.origin(of: request.reactionType, in: request.tile, at: item.time)
        else { return request }
        var placed = request
        placed.placement = .exact
        let hand = request.placement == .besideHand ? request.origin : nil
        if let tile = request.tile ?? crop?.tile, item.frame.hasPicture, let part = try? item.frame.picture(of: tile) {
            placed.origin = tile.placeInPicture(
                placer.origin(
                    of: request.reactionType, hand: hand.map(tile.placeInTile),
                    preset: tile.placeInTile(request.origin ?? preset), on: part))
        } else {
            placed.origin = placer.origin(
                of: request.reactionType, hand: hand, preset: request.origin ?? preset, on: item.frame)
        }
        return placed
    }

    /// Points the virtual camera at the people in a frame.
    private mutating func followPeople(in item: borrowing PipelineFrame, _ switches: EngineSwitches) {
        guard let framing else { return }
        let next = framing.crop(
            of: item.frame, strength: switches.videoEffects.autoFraming, isGallery: tiles.count > 1,
            isFirst: clock.frameCount == 1, at: item.time)
        if next != crop { crop = next }
    }

    /// Adopts the tiles that were detected at a frame, or that an earlier pass names.
    private mutating func followLayout(_ item: borrowing PipelineFrame) {
        guard let now = item.findings.layout ?? layouts?.tiles(at: item.time) else { return }
        if now != tiles {
            tiles = now
            timeline.follow(now, at: item.time)
        }
        guard item.findings.layout != nil, now != emittedTiles else { return }
        emittedTiles = now
        pending.events.append(.layoutChanged(now))
        recorder?.record(now, at: item.time)
    }

    /// Starts the effects that started before the first frame and are still in progress.
    private mutating func catchUp(until first: Double) {
        for entry in schedule.takeEarlier() {
            timeline.request(entry.request)
            _ = timeline.advance(to: first + entry.seconds, frame: 0)
        }
    }

    /// Passes the requests of this frame, and of the dropped frames before it, to the timeline.
    ///
    /// - Returns: The scheduled requests among them.
    private mutating func request(
        _ effects: [EffectRequest], _ switches: EngineSwitches, on item: borrowing PipelineFrame,
        to plan: inout FramePlan
    ) -> [ScheduledRequest] {
        let due = schedule.take(
            at: .init(time: item.time, first: clock.firstTime, previous: clock.previousTime),
            reactionsEnabled: switches.reactionsEnabled)
        for kind in pending.events { plan.emit(kind) }
        for warning in due.warnings { plan.emit(warning) }
        for request in pending.requests { timeline.request(request) }
        for request in effects {
            let isShown =
                switches.reactionsEnabled && timeline.request(placed(request.resolved(among: tiles), on: item))
            if !isShown { plan.answer(request, .notShown) }
        }
        for request in due.requests { timeline.request(request.request) }
        (pending.events, pending.requests) = ([], [])
        return due.requests
    }

    /// Warns about effects that do not start, or end early, because this picture stands for too long.
    private mutating func warn(
        _ item: borrowing PipelineFrame, _ due: [ScheduledRequest], _ plan: inout FramePlan
    ) {
        let first = clock.firstTime ?? item.time
        for (request, answer) in timeline.answered {
            guard case .refused(let stay) = answer else { continue }
            let entry =
                due.first { $0.request == request } ?? ScheduledRequest(seconds: item.time - first, request: request)
            plan.emit(entry.notShown(entry.named(stay, since: first)))
        }
        for shortened in timeline.shortened {
            if warnsOfStays { plan.emit(shortened.warning(since: first)) }
            recorder?.note(shortened)
        }
    }

    /// Returns the types that are about to start: the scheduled types, and the type of the gesture that is being held.
    /// In a live run these are all types, because a client may request any type for the next frame.
    private func comingTypes(at time: Double, heldGesture: ReactionGesture?) -> [ReactionType] {
        if quality != nil { return catalog.types }
        var types = schedule.types(until: time + 1, since: clock.firstTime)
        if let heldGesture { types.append(gestures.reactionType(for: heldGesture)) }
        return types
    }
}

// MARK: - Frame plans

extension FramePlanner {
    /// Advances to a frame that is kept. Effects end, are extended, and start.
    private mutating func advance(_ item: borrowing PipelineFrame, _ plan: inout FramePlan) {
        timeline.budget = statistics?.budget(pixels: item.frame.width * item.frame.height)
        let changes = timeline.advance(to: item.time, until: item.shownUntil, frame: plan.id)
        plan.events += changes
        if !changes.isEmpty { plan.newStates = timeline.running.map(\.state) }
        recorder?.note(timeline.answered, at: item.frame.time)
        for (request, answer) in timeline.answered { plan.answer(request, answer) }
        let showsEffects = !timeline.running.isEmpty
        if let change = thinning.follow(showsEffects: showsEffects, step: clock.lastStep) {
            plan.emit(.frameRateChanged(change))
        }
        plan.minimumDuration = thinning.minimumDuration(showsEffects: showsEffects, step: clock.lastStep)
        plan.effects = timeline.running
        heads?.follow(&plan.effects, of: catalog, on: item.frame, showing: crop, at: item.time)
        plan.demands = timeline.demands
    }

    /// Returns the demand on the encoder of the effect that a gesture in progress is about to trigger.
    private mutating func foreseen(_ item: borrowing PipelineFrame) -> [EffectDemand] {
        let planned = anticipations.first {
            // Half a millisecond is added, because a plan's times are rounded to milliseconds.
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
        plan.regions = protection.regions(of: frame, showing: crop, at: plan.time)
        if let warning = protection.takeWarning() { plan.emit(warning) }
    }

    /// Shows only a part of the picture.
    private func show(_ crop: PictureCrop, in plan: inout FramePlan) {
        plan.crop = crop
        for index in plan.events.indices { plan.events[index].kind = plan.events[index].kind.cropped(to: crop) }
    }

    /// Adopts the effects on the whole video, and reports a change.
    private mutating func follow(_ effects: VideoEffects, _ plan: inout FramePlan) {
        if effects != videoEffects { plan.emit(.videoEffectsChanged(effects)) }
        videoEffects = effects
        guard !effects.isOff else { return }
        plan.video.effects = effects
        if tiles.count > 1 { plan.video.tiles = tiles }
    }

    /// Lowers or raises the quality level according to the load.
    private mutating func followLoad(at time: Double) {
        guard let quality else { return }
        guard let step = quality.advance(to: time) else { return }
        thinning.halving = quality.halving
        appearance.maskIntervalScale = quality.maskIntervalScale
        appearance.detail = quality.detail
        pending.steps.append(step)
    }

    private mutating func emitPending(to plan: inout FramePlan) {
        for warning in pending.warnings { plan.emit(warning) }
        for step in pending.steps {
            plan.emit(.qualityChanged(.init(from: "\(step.from)", to: "\(step.to)", load: step.load)))
        }
        pending.warnings.removeAll()
        pending.steps.removeAll()
    }

    /// Applies a style from this frame on, also to effects in progress.
    private mutating func follow(_ style: ReactionStyle) {
        guard style != catalog.style else { return }
        catalog = catalog.styled(style)
        timeline.presets = catalog.presets
        appearance.style = style
    }
}

/// Tracks the time of the received frames: the start of the video, and its end after the last frame.
struct VideoClock {
    /// The first frame's time stamp in seconds.
    private(set) var firstTime: Double?
    private var lastTime: Double?
    /// The seconds from the frame before the last one to the last frame.
    private(set) var lastStep = 0.0
    /// The end of the last frame, in seconds.
    private(set) var endTime = 0.0
    /// The number of frames received.
    private(set) var frameCount = 0

    /// The time of the frame before the last one, in seconds.
    var previousTime: Double? { frameCount > 1 ? lastTime.map { $0 - lastStep } : nil }
    /// The seconds from the first frame to the end of the last one.
    var seconds: Double { firstTime.map { endTime - $0 } ?? 0 }

    /// - Parameter firstTime: The time at which the video began, if it did not begin with the first frame received.
    init(firstTime: Double? = nil) { self.firstTime = firstTime }

    /// Advances to a frame. A frame without duration is assumed to last as long as the previous frame.
    mutating func follow(_ time: Double, duration: Double?) {
        if let lastTime { lastStep = max(time - lastTime, 0) } else { firstTime = firstTime ?? time }
        lastTime = time
        endTime = time + (duration ?? lastStep)
        frameCount += 1
    }
}
