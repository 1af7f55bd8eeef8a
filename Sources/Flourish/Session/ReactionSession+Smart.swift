import MediaIO
import Platform
import Synchronization

/// Smart rendering: a recording is looked through first, and then only what effects touch is encoded.
extension ReactionSession {
    /// Filters a recording, copying what no effect touches where that can be.
    ///
    /// Between ``begin()`` and ``end()``.
    ///
    /// - Parameter known: what all packets of the recording tell, if it was read before.
    func filterSmartly(_ request: PipelineRequest, survey known: RecordingSurvey? = nil) async throws(FlourishError)
        -> SessionOutcome
    {
        if configuration.writesOverlay { return try await filterOverlay(request, route(of: request)) }
        if configuration.encoding.smartRender != .never, let output = request.output {
            try OutputCheck.check(output, input: request.input, overwrite: configuration.overwrite)
        }
        let route = try await route(of: request)
        return route.kind == .smart
            ? try await copyUntouched(request, survey: known) : try await encodeWhole(request, route)
    }

    /// Chooses the route of a run, for which the input may have to be probed.
    ///
    /// - Parameter opensInput: whether a file is opened on every route, so that what is wrong with it is thrown.
    /// - Throws: ``FlourishError`` where the input cannot be opened.
    func route(of request: PipelineRequest, opensInput: Bool = false) async throws(FlourishError) -> RunRoute {
        let facts = RunRoute.Facts(request), route = RunRoute.choose(facts)
        guard route.kind == .smart || opensInput && facts.inputIsFile else { return route }
        let settings = InputSettings(request.configuration, address: request.input)
        return try await blocking { [control] () throws(MediaError) in
            let demuxer = try Demuxer(path: request.input, settings: settings, interrupt: control.interrupt)
            if route.kind == .overlay { return route }
            var probed = facts
            probed.probe(
                demuxer, container: try ContainerFormat.chosen(request.configuration, path: request.output ?? ""))
            return RunRoute.choose(probed)
        }
    }

    /// The error of a run that must not encode all frames, and must; nil if it need not.
    private func refusal(of route: RunRoute, _ input: String) -> FlourishError? {
        guard configuration.encoding.smartRender == .always, let reason = route.reason else { return nil }
        return FlourishError(
            .inputUnusable, "\(input): cannot be rendered smartly: \(reason)", remedy: .encodingTheWhole)
    }

    /// Encodes the frames with effects, and copies all others.
    private func copyUntouched(
        _ request: PipelineRequest, survey known: RecordingSurvey?
    ) async throws(FlourishError) -> SessionOutcome {
        let start = ContinuousClock.now
        guard var request = try await toThePacket(request) else {
            return try await encodeWhole(
                request, because: SpliceObstacle("its file does not say which picture its part begins with"))
        }
        let observer = request.observer
        let survey: RecordingSurvey
        if request.plan == nil, configuration.gesturesEnabled || request.photographsSchedule {
            let looked = try await look(request)
            request.observer = request.observer.during(.rendering, of: .rendering)
            request.show(looked)
            // From here on it is too late to ask for anything.
            control.state.withLock { $0.isRunning = false }
            survey = looked.survey
        } else {
            survey = if let known { known } else { try await self.survey(request.input, request.configuration) }
            if request.photographsSchedule { try await photographPlan(&request) }
        }
        let time = (ContinuousClock.now - start) / .seconds(1)
        try request.configuration.validate()
        switch try await SpliceRun.start(request, survey: survey.video, lookingTime: time, control: control) {
        case .done(let outcome): return outcome
        case .refused(let obstacle):
            if request.wasLookedThrough { request.observer = observer.during(.renderingAll, of: .rendering) }
            return try await encodeWhole(request, because: obstacle)
        }
    }

    /// What looking through a recording came to.
    struct Looked: Sendable {
        var plan: ReactionPlan
        var survey: RecordingSurvey
        /// What happened, but for what happens again when it is rendered.
        var heard: [ReactionEvent]
        /// Where its frames are; `nil` where only decoding all of them tells.
        var scan: ScannedRecording?
    }

    /// Looks through a recording: what would be shown, where it can be cut.
    ///
    /// - Parameter share: of the whole run that it takes, roughly.
    /// - Throws: ``FlourishError``; ``FlourishError/Code/interrupted`` where it was stopped before the end.
    func look(
        _ request: PipelineRequest, share: Double = SessionProgress.Part.lookingShare
    ) async throws(FlourishError) -> Looked {
        var looking = request
        looking.output = nil
        looking.recordsPlan = true
        let heard = Slot<[ReactionEvent]>([])
        looking.observer.event = { event in
            if event.isSeen { heard.value.append(event) }
        }
        let furthest = Slot(0.0)
        looking = looking.noting(furthest)
        let outcome: SessionOutcome
        do throws(FlourishError) {
            looking = try await scanned(looking, .looking, share: 0...share)
            outcome = try await perform(looking)
        } catch  where error.code == .interrupted {
            throw .stoppedLooking(at: request.input, furthest.value / share, Self.writesLater)
        }
        guard !outcome.interrupted, let plan = outcome.plan, let survey = outcome.survey else {
            throw .stoppedLooking(at: request.input, furthest.value / share, Self.writesLater)
        }
        return Looked(plan: plan, survey: survey, heard: heard.value, scan: looking.scan)
    }

    private static let writesLater = "nothing was written, which begins when all of it was"

    /// Takes the photographs of a plan's reactions: most of their frames are not decoded again otherwise.
    private func photographPlan(_ request: inout PipelineRequest) async throws(FlourishError) {
        var taking = request
        taking.output = nil
        let heard = Slot<[ReactionEvent]>([])
        taking.observer = SessionObserver(event: { event in
            if event.kind.isPhotograph { heard.value.append(event) }
        })
        let outcome = try await perform(try await scanned(taking))
        if outcome.interrupted {
            throw FlourishError(
                .interrupted, "\(request.input): stopped while photographs were taken; \(Self.writesLater)")
        }
        request.wasPhotographed = true
        request.heard += heard.value
    }

    private func encodeWhole(
        _ request: PipelineRequest, because obstacle: SpliceObstacle
    ) async throws(FlourishError) -> SessionOutcome {
        try await encodeWhole(request, RunRoute.whole(RunRoute.Facts(request), because: obstacle))
    }

    /// Encodes all frames, and states the route's reason.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` where there is a reason, and smart rendering was demanded.
    private func encodeWhole(
        _ request: PipelineRequest, _ route: RunRoute
    ) async throws(FlourishError) -> SessionOutcome {
        guard let reason = route.reason else { return try await perform(request) }
        if let refusal = refusal(of: route, request.input) { throw refusal }
        var request = request
        request.wholeReason = reason.description
        if route.kind == .analyseThenEncode, let exact = try await toThePacket(request) {
            try request.configuration.validate()
            try await PipelineRun.rehearse(exact, control: control)
            let looked = try await look(exact, share: SessionProgress.Part.lookingShareOfWhole)
            request.observer = request.observer.during(.renderingWhole, of: .rendering)
            request.show(looked)
        }
        request.configuration.input.opening = nil
        // Decoding it all tells that again.
        request.heard.removeAll { event in
            if case .warning(let code, _) = event.kind { code == .damagedInput || code == .timestampGap } else { false }
        }
        return try await perform(request)
    }

    /// Has the request's part of a recording, where it is one, known to the packet.
    ///
    /// - Returns: `nil` where packets do not tell.
    func toThePacket(_ request: PipelineRequest) async throws(FlourishError) -> PipelineRequest? {
        guard request.configuration.input.stretch != nil else { return request }
        var request = request
        let (input, settings) = (request.input, InputSettings(request.configuration, address: request.input))
        request.configuration.input.opening = try await blocking { [control] () throws(MediaError) in
            try Demuxer.opening(of: input, settings: settings, interrupt: control.interrupt)
        }
        return request.configuration.input.opening == nil ? nil : request
    }

    /// Describes the route of a run in one line, and runs nothing. What a recording's packets tell may change it later.
    ///
    /// Throws what the run would throw before it reads the recording, but for what stands at the output's place.
    ///
    /// - Parameter plan: whose reactions are shown; nil to find them.
    package func explain(
        _ input: String, to output: String, plan: ReactionPlan?
    ) async throws(FlourishError) -> String {
        try configuration.validate()
        let request = PipelineRequest(
            input: input, output: output, configuration: configuration, resources: resources,
            observer: SessionObserver(), plan: plan)
        _ = try EffectCatalog(resources: resources, checking: request.configuration)
        let route = try await route(of: request, opensInput: true)
        if configuration.writesOverlay { try checkOverlay(output) }
        if let refusal = refusal(of: route, input) { throw refusal }
        return route.explanation
    }

    /// Reads all packets of a recording.
    func survey(_ input: String, _ configuration: Configuration) async throws(FlourishError) -> RecordingSurvey {
        let settings = InputSettings(configuration, address: input)
        return try await blocking { [control] () throws(MediaError) in
            try RecordingSurveyor.survey(input, settings: settings, interrupt: control.interrupt)
        }
    }

    /// Runs what blocks on a thread of its own; ends it where the task is cancelled.
    func blocking<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(FlourishError) -> Value {
        let result = await withTaskCancellationHandler {
            await StageThread.run(body)
        } onCancel: {
            control.stop()
        }
        do { return try result.get() } catch { throw FlourishError(describing: error) }
    }
}

extension PipelineRequest {
    /// Has what was found shown, and looks no more.
    mutating func show(_ looked: ReactionSession.Looked) {
        plan = looked.plan
        heard = looked.heard
        wasLookedThrough = true
    }

    /// The same, noting which share of the run was done.
    func noting(_ furthest: Slot<Double>) -> PipelineRequest {
        var request = self
        request.observer.progress = { [told = observer.progress] step in
            furthest.value = max(furthest.value, step.fraction ?? 0)
            told?(step)
        }
        return request
    }
}

extension FlourishError {
    /// The error of a run that was stopped before a recording was looked through.
    ///
    /// - Parameter fraction: the share of it that was looked through, 0…1.
    static func stoppedLooking(at input: String, _ fraction: Double, _ consequence: String) -> FlourishError {
        let percent = Int(min(max(fraction, 0), 1) * 100)
        return FlourishError(
            .interrupted,
            "\(input): stopped when \(percent) % of it was looked through; \(consequence)"
        )
    }
}

extension ReactionEvent {
    /// Whether it tells what somebody's hands did or what was wrong with the input, rather than what is shown.
    fileprivate var isSeen: Bool {
        switch kind {
        case .gesture, .candidate, .warning: true
        default: kind.isPhotograph
        }
    }
}
