import MediaIO
import Platform
package import Reactions
import Synchronization

/// The analysis of a recording: its reactions, and the positions at which it can be cut.
///
/// A quick scan selects the frames that are analysed closely. A ``Rendering`` then needs no detection.
package struct RecordingAnalysis: Sendable {
    /// The pass that renders the reactions.
    let rendering: RunPass
    let indexedRecording: IndexedRecording
    /// The positions of the frames; `nil` if they can be found only by decoding all frames.
    var scan: ScannedRecording?

    /// Finds the reactions in the recording of a pass, unless they are known, and captures their photographs.
    ///
    /// - Parameters:
    ///   - part: The part of the whole run that renders the reactions; the analysis is before it.
    ///   - indexed: The index of the recording's packets, if it was read before.
    /// - Throws: ``FlourishError``; ``FlourishError/Code/interrupted`` if it was stopped before the end.
    static func of(
        _ pass: RunPass, _ control: SessionControl, before part: SessionProgress.Part,
        indexed: IndexedRecording? = nil
    ) async throws(FlourishError) -> RecordingAnalysis {
        if pass.needsAnalysis { return try await looking(through: pass, control, before: part) }
        let indexed = if let indexed { indexed } else { try await pass.indexRecording(control) }
        let rendering = pass.photographsSchedule ? try await photographing(pass, control) : pass
        return RecordingAnalysis(rendering: rendering, indexedRecording: indexed)
    }

    private static func looking(
        through pass: RunPass, _ control: SessionControl, before part: SessionProgress.Part
    ) async throws(FlourishError) -> RecordingAnalysis {
        var analysis = pass.analysing()
        analysis.defersPlaces = pass.configuration.videoEffects.autoFraming > 0
        let share = part.share.lowerBound
        let events = Slot<[ReactionEvent]>([])
        analysis.observer.event = { event in
            if event.isReplayed { events.value.append(event) }
        }
        let furthest = Slot(0.0)
        analysis = analysis.recordingProgress(in: furthest)
        let outcome: SessionOutcome?
        do throws(FlourishError) {
            analysis = try await analysis.scanned(control, .looking, share: 0...share)
            outcome = try await PipelineRun.start(analysis, control: control)
        } catch  where error.code == .interrupted {
            outcome = nil
        }
        guard let outcome, !outcome.interrupted, let plan = outcome.plan, let index = outcome.indexedRecording else {
            throw .stoppedDuringAnalysis(
                at: pass.input, furthest.value / share, "nothing was written, since writing starts after the analysis")
        }
        // Requests are refused from here on, since all effects are planned.
        control.state.withLock { $0.isRunning = false }
        return RecordingAnalysis(
            rendering: pass.rendering(plan, events.value, as: part), indexedRecording: index, scan: analysis.scan)
    }

    /// Captures the photographs of a plan's reactions. Takes a pass of its own, because smart rendering does not decode
    /// most frames of these photographs.
    private static func photographing(_ pass: RunPass, _ control: SessionControl) async throws(FlourishError) -> RunPass
    {
        var taking = pass
        taking.output = nil
        let events = Slot<[ReactionEvent]>([])
        taking.observer = SessionObserver(event: { event in
            if event.kind.isPhotograph { events.value.append(event) }
        })
        let outcome = try await PipelineRun.start(try await taking.scanned(control), control: control)
        if outcome.interrupted {
            throw FlourishError(
                .interrupted,
                "\(pass.input): stopped while photographs were captured; nothing was written, since writing starts after the analysis"
            )
        }
        var rendering = pass
        rendering.photos = nil
        rendering.replayedEvents += events.value
        return rendering
    }

    /// Emits only events. For a recording, a quick scan selects the frames that are analysed closely.
    package static func detect(_ pass: RunPass, _ control: SessionControl) async throws(FlourishError) -> SessionOutcome
    {
        guard pass.secondPassUnavailable == nil,
            let exact = try await pass.resolvingTrimStart(control)
        else { return try await PipelineRun.start(pass, control: control) }
        let furthest = Slot(0.0)
        let scanned = try await exact.recordingProgress(in: furthest).scanned(control)
        if control.interrupt.isRaised {
            throw .stoppedDuringAnalysis(
                at: pass.input, furthest.value, "events are emitted only after the whole recording is analysed")
        }
        return try await PipelineRun.start(scanned, control: control)
    }
}

extension RunPass {
    /// Returns the pass with the frames that a quick scan selects for close analysis. Returns it unchanged if all
    /// frames must be analysed.
    ///
    /// - Parameter share: The part of the run's progress, within 0…1, that the scan and the close analysis take.
    package func scanned(
        _ control: SessionControl, _ kind: SessionProgress.Pass = .only, share: ClosedRange<Double> = 0...1
    ) async throws(FlourishError) -> RunPass {
        // Scanning takes minutes, so an unknown effect is reported before.
        _ = try EffectCatalog(resources: resources, checking: configuration)
        let parts = SessionProgress.Part.analysis(share)
        var quick = self
        quick.observer = observer.during(parts.quick, of: kind)
        let scan = try await control.onThread { [quick] () throws(FlourishError) in
            try RecordingScan(quick, control: control).run()
        }
        var scanned = limited(to: scan)
        scanned.observer = observer.during(scan == nil ? parts.all : parts.close, of: kind)
        return scanned
    }

    /// Returns the pass with the exact first picture of the trim range, if there is a trim range.
    ///
    /// - Returns: `nil` if the packets do not determine that picture.
    func resolvingTrimStart(_ control: SessionControl) async throws(FlourishError) -> RunPass? {
        guard configuration.input.trim != nil else { return self }
        let opening = try await control.onThread { () throws(MediaError) in
            try openInput(control.interrupt).readOpening()
        }
        guard let opening else { return nil }
        var pass = self
        pass.configuration.input.opening = opening
        return pass
    }

    /// Returns the pass that renders the results of an analysis. The analysis has already emitted all warnings and
    /// captured all photographs.
    ///
    /// - Parameters:
    ///   - events: The events that are emitted when the pass comes to their times.
    ///   - part: The part of the run to which the pass corresponds, for its progress.
    fileprivate func rendering(
        _ plan: ReactionPlan, _ events: [ReactionEvent], as part: SessionProgress.Part
    ) -> RunPass {
        var pass = self
        pass.observer = observer.during(part, of: .rendering)
        // The plan's times are already on the clock of the trim range, so they are not shifted.
        (pass.plan, pass.schedule, pass.knownLayouts) = (plan, plan.requests(), plan.layouts)
        if configuration.videoEffects.autoFraming > 0 { pass.schedule = plan.requests(choosingPlaces: true) }
        (pass.startupWarnings, pass.replayedEvents) = ([], events)
        (pass.detectsHands, pass.photos, pass.reportsInputFaults) = (false, nil, false)
        return pass
    }

    /// Returns the pass with an observer that records the completed share of the run.
    fileprivate func recordingProgress(in furthest: Slot<Double>) -> RunPass {
        var pass = self
        pass.observer.progress = { [progress = observer.progress] step in
            furthest.value = max(furthest.value, step.fraction ?? 0)
            progress?(step)
        }
        return pass
    }
}

extension SessionControl {
    /// Runs a blocking body on a thread of its own. Cancelling the task stops the run.
    func onThread<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(FlourishError) -> Value {
        let result = await withTaskCancellationHandler {
            await StageThread.run(body)
        } onCancel: {
            stop()
        }
        do { return try result.get() } catch { throw FlourishError(describing: error) }
    }
}

extension FlourishError {
    /// Returns the error of a run that was stopped during the analysis of a recording.
    ///
    /// - Parameter fraction: The share of the recording that was analysed, 0…1.
    fileprivate static func stoppedDuringAnalysis(at input: String, _ fraction: Double, _ consequence: String)
        -> FlourishError
    {
        let percent = Int(min(max(fraction, 0), 1) * 100)
        return FlourishError(.interrupted, "\(input): stopped when \(percent) % of it was analysed; \(consequence)")
    }
}

extension ReactionEvent {
    /// True if rendering emits this event of the analysis. An event about gestures or the input is emitted again, an
    /// event about the shown effects is not.
    fileprivate var isReplayed: Bool {
        switch kind {
        case .gesture, .candidate, .layoutChanged, .warning: true
        default: kind.isPhotograph
        }
    }
}
