package import MediaIO
import Platform
package import Reactions

/// The analysis of a recording: its reactions, and the positions at which it can be cut.
///
/// A quick scan selects the frames that are analysed closely. A ``Rendering`` then needs no detection.
package struct RecordingAnalysis: Sendable {
    let plan: ReactionPlan
    let indexedRecording: IndexedRecording
    /// The events that the run emits when it comes to their times. Events that rendering emits anyway are omitted.
    let events: [ReactionEvent]
    /// The positions of the frames; `nil` if they can be found only by decoding all frames.
    let scan: ScannedRecording?

    static let writesLater = "nothing was written, since writing starts after the analysis"

    /// Finds all reactions in the recording of a run.
    ///
    /// - Parameter share: The estimated share of the whole run that the analysis takes, 0…1.
    /// - Throws: ``FlourishError``; ``FlourishError/Code/interrupted`` if it was stopped before the end.
    static func of(
        _ pass: RunPass, _ control: SessionControl, share: Double = SessionProgress.Part.analysisShare
    ) async throws(FlourishError) -> RecordingAnalysis {
        var analysis = pass.analysing()
        let events = Slot<[ReactionEvent]>([])
        analysis.request.observer.event = { event in
            if event.isReplayed { events.value.append(event) }
        }
        let furthest = Slot(0.0)
        analysis = analysis.recordingProgress(in: furthest)
        let outcome: SessionOutcome
        do throws(FlourishError) {
            analysis = try await analysis.scanned(control, .looking, share: 0...share)
            outcome = try await PipelineRun.start(analysis, control: control)
        } catch  where error.code == .interrupted {
            throw .stoppedDuringAnalysis(at: pass.request.input, furthest.value / share, writesLater)
        }
        guard !outcome.interrupted, let plan = outcome.plan, let indexedRecording = outcome.indexedRecording else {
            throw .stoppedDuringAnalysis(at: pass.request.input, furthest.value / share, writesLater)
        }
        return RecordingAnalysis(
            plan: plan, indexedRecording: indexedRecording, events: events.value, scan: analysis.scan)
    }

    /// Emits only events. For a recording, a quick scan selects the frames that are analysed closely.
    package static func detect(_ pass: RunPass, _ control: SessionControl) async throws(FlourishError) -> SessionOutcome
    {
        guard RunRoute.Facts(pass.request).secondPassUnavailable == nil,
            let exact = try await pass.resolvingTrimStart(control)
        else { return try await PipelineRun.start(pass, control: control) }
        let furthest = Slot(0.0)
        let scanned = try await exact.recordingProgress(in: furthest).scanned(control)
        if control.interrupt.isRaised {
            throw .stoppedDuringAnalysis(
                at: pass.request.input, furthest.value, "events are emitted only after the whole recording is analysed")
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
        _ = try EffectCatalog(resources: request.resources, checking: request.configuration)
        let parts = SessionProgress.Part.analysis(share)
        var quick = self
        quick.request.observer = request.observer.during(parts.quick, of: kind)
        let scan = try await control.onThread { [quick] () throws(FlourishError) in
            try RecordingScan(quick, control: control).run()
        }
        var scanned = limited(to: scan)
        scanned.request.observer = request.observer.during(scan == nil ? parts.all : parts.close, of: kind)
        return scanned
    }

    /// Returns the pass with the exact first picture of the trim range, if there is a trim range.
    ///
    /// - Returns: `nil` if the packets do not determine that picture.
    func resolvingTrimStart(_ control: SessionControl) async throws(FlourishError) -> RunPass? {
        guard request.configuration.input.trim != nil else { return self }
        let opening = try await control.onThread { () throws(MediaError) in
            try request.openInput(control.interrupt).readOpening()
        }
        guard let opening else { return nil }
        var pass = self
        pass.request.configuration.input.opening = opening
        return pass
    }

    /// Returns the pass that renders the results of an analysis pass. The analysis pass has already emitted all
    /// warnings and captured all photographs.
    ///
    /// - Parameter part: The part of the run to which the pass corresponds, for its progress.
    func rendering(_ analysis: RecordingAnalysis, as part: SessionProgress.Part) -> RunPass {
        var pass = self
        pass.request.observer = request.observer.during(part, of: .rendering)
        pass.request.plan = analysis.plan
        // The plan's times are already on the clock of the trim range, so they are not shifted.
        (pass.schedule, pass.knownLayouts) = (analysis.plan.requests(), analysis.plan.layouts)
        (pass.startupWarnings, pass.replayedEvents) = ([], analysis.events)
        (pass.detectsHands, pass.photos, pass.reportsInputFaults) = (false, nil, false)
        return pass
    }

    /// Returns the pass with an observer that records the completed share of the run.
    fileprivate func recordingProgress(in furthest: Slot<Double>) -> RunPass {
        var pass = self
        pass.request.observer.progress = { [progress = request.observer.progress] step in
            furthest.value = max(furthest.value, step.fraction ?? 0)
            progress?(step)
        }
        return pass
    }
}

extension PipelineRequest {
    /// Indexes all packets of the recording.
    package func indexRecording(_ control: SessionControl) async throws(FlourishError) -> IndexedRecording {
        try await control.onThread { () throws(MediaError) in
            try PacketIndexer.index(openInput(control.interrupt))
        }
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
