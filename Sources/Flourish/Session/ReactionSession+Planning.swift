import MediaIO
import Synchronization

/// Plans: what a session would show, as a value that people and programs edit.
extension ReactionSession {
    /// Looks at a recording and says what ``filter(_:to:observer:)`` would show, and what nearly fired; draws and
    /// writes nothing.
    ///
    /// - Parameters:
    ///   - input: a file: it is read again when the plan is rendered.
    ///   - observer: hears what happens.
    /// - Throws: ``FlourishError``; ``FlourishError/Code/interrupted`` where it was stopped before the end.
    public func plan(
        _ input: String, observer: SessionObserver = SessionObserver()
    ) async throws(FlourishError) -> ReactionPlan {
        try await planning(input, observer: observer).plan
    }

    /// The same, with the outcome of the run.
    package func planning(
        _ input: String, observer: SessionObserver
    ) async throws(FlourishError) -> (plan: ReactionPlan, outcome: SessionOutcome) {
        guard let size = RecordedFile.size(of: input) else {
            throw FlourishError(
                .usage, "\(input): a plan is for a recording that can be read again; save it to a file first")
        }
        if configuration.isLive {
            throw FlourishError(.usage, "a plan is made of the whole recording; leave live out")
        }
        try refuseStretch()
        var configuration = configuration
        let tellsCandidates = configuration.tellsCandidates
        configuration.tellsCandidates = true
        var watched = observer
        watched.event = { event in
            if !tellsCandidates, case .candidate = event.kind { return }
            observer.event?(event)
        }
        try begin()
        defer { end() }
        let request = published(
            PipelineRequest(
                input: input, output: nil, configuration: configuration, resources: resources, observer: watched,
                recordsPlan: true))
        let stopped = FlourishError(.interrupted, "\(input): stopped before its end; no plan was made")
        let outcome: SessionOutcome
        do throws(FlourishError) {
            outcome = try await perform(scanned(request))
        } catch  where error.code == .interrupted {
            throw stopped
        }
        guard !outcome.interrupted, var plan = outcome.plan, let survey = outcome.survey else { throw stopped }
        plan.source.size = size
        plan.source.fingerprint = survey.fingerprint
        return (plan, outcome)
    }

    /// The request with what a quick look through its recording finds, where that can be: else all of it is looked at
    /// closely.
    ///
    /// - Parameter share: of the run that both looks are.
    func scanned(
        _ request: PipelineRequest, _ pass: SessionProgress.Pass = .only, share: ClosedRange<Double> = 0...1
    ) async throws(FlourishError) -> PipelineRequest {
        // Looking takes minutes: an effect that there is not is told before.
        _ = try EffectCatalog(resources: request.resources, checking: request.configuration)
        let parts = SessionProgress.Part.looks(share)
        var quick = request
        quick.observer = request.observer.during(parts.quick, of: pass)
        var scanned = request
        scanned.scan = try await blocking { [control, quick] () throws(FlourishError) in
            try RecordingScan(request: quick, control: control).run()
        }
        scanned.observer = request.observer.during(scanned.scan == nil ? parts.all : parts.close, of: pass)
        return scanned
    }

    /// Writes a recording again with the reactions of a plan over it. Looks for no gestures; the look of the
    /// reactions is the plan's, everything else the session's ``configuration``.
    ///
    /// - Parameters:
    ///   - plan: made for this very recording.
    ///   - input: the recording, wherever it lies now.
    ///   - output: the video to write.
    ///   - observer: hears what happens.
    /// - Returns: the outcome of the run.
    /// - Throws: ``FlourishError``; ``FlourishError/Code/inputUnusable`` where the plan makes no sense, or is for
    ///   another recording.
    @discardableResult
    public func render(
        _ plan: ReactionPlan, from input: String, to output: String, observer: SessionObserver = SessionObserver()
    ) async throws(FlourishError) -> SessionOutcome {
        let request = try rendering(plan, from: input, to: output, observer: observer)
        let survey = try await survey(of: input, for: plan)
        try begin()
        defer { end() }
        return try await filterSmartly(published(request), survey: survey)
    }

    /// What is to be done to render a plan; says what can be said before the recording is read.
    private func rendering(
        _ plan: ReactionPlan, from input: String, to output: String, observer: SessionObserver
    ) throws(FlourishError) -> PipelineRequest {
        var configuration = configuration
        if configuration.isLive { throw FlourishError(.usage, "a plan is rendered from a recording; leave live out") }
        if !configuration.scheduledReactions.isEmpty {
            throw FlourishError(.usage, "reactions of one's own and a plan exclude each other; put them into the plan")
        }
        try refuseStretch()
        var plan = plan
        plan.style = configuration.take(plan.style)
        configuration.gesturesEnabled = false
        try plan.validate()
        try OutputCheck.check(output, input: input, overwrite: configuration.overwrite)
        control.state.withLock { [style = configuration.style] state in
            state.style = style
            state.gesturesEnabled = false
        }
        return PipelineRequest(
            input: input, output: output, configuration: configuration, resources: resources, observer: observer,
            plan: plan)
    }

    private func refuseStretch() throws(FlourishError) {
        guard configuration.input.stretch != nil else { return }
        throw FlourishError(.usage, "a plan is for the whole recording; leave its start and end out")
    }

    /// What the packets of a plan's recording tell; refuses another recording.
    func survey(
        of input: String, for plan: ReactionPlan
    ) async throws(FlourishError) -> RecordingSurvey {
        guard RecordedFile.size(of: input) != nil else {
            throw FlourishError(.usage, "\(input): \(plan.name) is for a recording; name its file")
        }
        let survey = try await survey(input, configuration)
        if survey.fingerprint == plan.source.fingerprint { return survey }
        let remedy = "make a new plan with: flourish plan \(input)"
        throw FlourishError(
            .inputUnusable,
            RecordedFile.name(of: input) == RecordedFile.name(of: plan.source.path)
                ? "\(input): has changed since \(plan.name) was made; \(remedy)"
                : "\(input): \(plan.name) is for another recording, \(plan.source.path); \(remedy)")
    }
}
