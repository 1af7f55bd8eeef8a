import MediaIO
import Synchronization

/// Plans: the reactions that a session would show, as a value that users and programs edit.
extension ReactionSession {
    /// Analyses a recording, and returns a plan of the reactions that ``filter(_:to:observer:)`` would show and of
    /// gestures that almost fired. Nothing is drawn or written.
    ///
    /// - Parameters:
    ///   - input: A file, because it is read again when the plan is rendered.
    ///   - observer: Receives events and progress.
    /// - Throws: ``FlourishError``. The code is ``FlourishError/Code/interrupted`` if the run was stopped before the
    ///   end.
    public func plan(
        _ input: String, observer: SessionObserver = SessionObserver()
    ) async throws(FlourishError) -> ReactionPlan {
        try await planning(input, observer: observer).plan
    }

    /// Returns the plan together with the outcome of the run.
    package func planning(
        _ input: String, observer: SessionObserver
    ) async throws(FlourishError) -> (plan: ReactionPlan, outcome: SessionOutcome) {
        guard let size = RecordedFile.size(of: input) else {
            throw FlourishError(
                .usage, "\(input): a plan is for a recording that can be read again; save it to a file first")
        }
        try configuration.refuseLive("a plan covers the whole recording")
        try refuseTrim()
        var configuration = configuration
        let reportsCandidates = configuration.reportsCandidates
        configuration.reportsCandidates = true
        var watched = observer
        watched.event = { event in
            if !reportsCandidates, case .candidate = event.kind { return }
            observer.event?(event)
        }
        try begin()
        defer { end() }
        let pass = try pass(
            RunPass(
                input: input, configuration: configuration, resources: resources, observer: watched)
        ).analysing()
        let stopped = FlourishError(.interrupted, "\(input): stopped before its end; no plan was made")
        let outcome: SessionOutcome
        do throws(FlourishError) {
            outcome = try await PipelineRun.start(pass.scanned(control), control: control)
        } catch  where error.code == .interrupted {
            throw stopped
        }
        guard !outcome.interrupted, var plan = outcome.plan, let indexedRecording = outcome.indexedRecording else {
            throw stopped
        }
        plan.source.size = size
        plan.source.fingerprint = indexedRecording.fingerprint
        return (plan, outcome)
    }

    /// Writes a recording again with the reactions of a plan over it, without detecting gestures. The plan determines
    /// the appearance of the reactions, and the session's ``configuration`` everything else.
    ///
    /// - Parameters:
    ///   - plan: A plan made for this very recording.
    ///   - input: The recording, at its current path.
    ///   - output: The video to write.
    ///   - observer: Receives events and progress.
    /// - Returns: The outcome of the run.
    /// - Throws: ``FlourishError``. The code is ``FlourishError/Code/inputUnusable`` if the plan is invalid, or made
    ///   for another recording.
    @discardableResult
    public func render(
        _ plan: ReactionPlan, from input: String, to output: String, observer: SessionObserver = SessionObserver()
    ) async throws(FlourishError) -> SessionOutcome {
        let pass = try rendering(plan, from: input, to: output, observer: observer)
        let indexedRecording = try await indexRecording(of: pass, for: plan)
        try begin()
        defer { end() }
        return try await Rendering(control, indexedRecording: indexedRecording).write(self.pass(pass))
    }

    /// Returns the pass that renders a plan. Throws the errors that are known before the recording is read.
    private func rendering(
        _ plan: ReactionPlan, from input: String, to output: String, observer: SessionObserver
    ) throws(FlourishError) -> RunPass {
        var configuration = configuration
        try configuration.refuseLive("a plan can only be rendered with a recording")
        if !configuration.scheduledReactions.isEmpty {
            throw FlourishError(
                .usage, "scheduled reactions and a plan cannot be combined; add the reactions to the plan")
        }
        try refuseTrim()
        var plan = plan
        plan.style = configuration.adopt(plan.style)
        configuration.gesturesEnabled = false
        try plan.validate()
        try OutputCheck.check(output, input: input, overwrite: configuration.overwrite)
        control.state.withLock { [style = configuration.style, video = configuration.videoEffects] state in
            (state.settings.style, state.settings.videoEffects) = (style, video)
            state.settings.gesturesEnabled = false
        }
        return RunPass(
            input: input, output: output, configuration: configuration, resources: resources, observer: observer,
            plan: plan)
    }

    private func refuseTrim() throws(FlourishError) {
        guard configuration.input.trim != nil else { return }
        throw FlourishError(.usage, "a plan covers the whole recording; remove start and end")
    }

    /// Returns the index of the packets of a plan's recording. Refuses another recording.
    func indexRecording(
        of pass: RunPass, for plan: ReactionPlan
    ) async throws(FlourishError) -> IndexedRecording {
        let input = pass.input
        guard RecordedFile.size(of: input) != nil else {
            throw FlourishError(.usage, "\(input): \(plan.name) is for a recording; name its file")
        }
        let indexedRecording = try await pass.indexRecording(control)
        if indexedRecording.fingerprint == plan.source.fingerprint { return indexedRecording }
        let remedy = "make a new plan with: flourish plan \(input)"
        throw FlourishError(
            .inputUnusable,
            RecordedFile.name(of: input) == RecordedFile.name(of: plan.source.path)
                ? "\(input): has changed since \(plan.name) was made; \(remedy)"
                : "\(input): \(plan.name) is for another recording, \(plan.source.path); \(remedy)")
    }
}
