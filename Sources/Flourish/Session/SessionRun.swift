import MediaIO
import Platform
import Synchronization

/// Executes the run of a ``ReactionSession`` on its route: a single pass, or an analysis pass and a rendering pass.
/// Each pass runs on threads of its own, and updates the session's ``SessionControl``.
///
/// ```
/// filter ─▶ route ─┬─ single pass, live ────────────────────────────▶ PipelineRun
///                  ├─ analyse, then encode ──▶ analyse ─────────────▶ PipelineRun
///                  ├─ smart ─────────────────▶ analyse or index ────▶ SpliceRun ─(refused)─▶ PipelineRun
///                  └─ overlay ───────────────▶ analyse or index ────▶ PipelineRun, of frames with effects
/// ```
struct SessionRun {
    let control: SessionControl

    /// Runs one pass through the pipeline.
    func perform(_ pass: RunPass) async throws(FlourishError) -> SessionOutcome {
        try pass.request.configuration.validate()
        let result = await withTaskCancellationHandler {
            await PipelineRun.start(pass, control: control)
        } onCancel: {
            control.stop()
        }
        return try result.get()
    }

    /// Writes a video on the appropriate route.
    ///
    /// - Parameter known: The index of the recording's packets, if it was read before.
    func filter(_ pass: RunPass, indexedRecording known: IndexedRecording? = nil) async throws(FlourishError)
        -> SessionOutcome
    {
        let request = pass.request
        switch request.outputKind {
        case .overlay, .pictures: return try await writeOverlay(pass)
        case .video, nil: break
        }
        if request.configuration.encoding.smartRender != .never, let output = request.output {
            try OutputCheck.check(output, input: request.input, overwrite: request.configuration.overwrite)
        }
        let route = try await route(of: request)
        return route.kind == .smart
            ? try await copyUntouched(pass, route.preparation, indexedRecording: known)
            : try await encodeWhole(pass, route)
    }

    /// Emits only events. For a recording, a quick scan selects the frames that are analysed closely.
    func detect(_ pass: RunPass) async throws(FlourishError) -> SessionOutcome {
        try pass.request.configuration.validate()
        guard RunRoute.Facts(pass.request).secondPassUnavailable == nil,
            let exact = try await resolvingTrimStart(pass)
        else { return try await perform(pass) }
        let furthest = Slot(0.0)
        let scanned = try await scanned(exact.recordingProgress(in: furthest))
        if control.interrupt.isRaised {
            throw .stoppedDuringAnalysis(
                at: pass.request.input, furthest.value, "events are emitted only after the whole recording is analysed")
        }
        return try await perform(scanned)
    }

    // MARK: The route

    /// Chooses the route of a run. The input may have to be probed for this.
    ///
    /// - Parameter opensInput: Whether a file is opened on every route, so that its faults are thrown.
    /// - Throws: ``FlourishError`` if the input cannot be opened.
    func route(of request: PipelineRequest, opensInput: Bool = false) async throws(FlourishError) -> RunRoute {
        let facts = RunRoute.Facts(request), route = RunRoute.choose(facts)
        guard route.kind == .smart || opensInput && facts.inputIsFile else { return route }
        return try await blocking { [control] () throws(MediaError) in
            let demuxer = try request.openInput(control.interrupt)
            if route.kind == .overlay { return route }
            var probed = facts
            probed.probe(
                demuxer, container: try ContainerFormat.chosen(request.configuration, path: request.output ?? ""))
            return RunRoute.choose(probed)
        }
    }

    /// Returns the error of a run for which smart rendering was required, but is not possible; nil if there is no such
    /// error.
    func refusal(of route: RunRoute, _ request: PipelineRequest) -> FlourishError? {
        guard request.configuration.encoding.smartRender == .always, let reason = route.reason else { return nil }
        return FlourishError(
            .inputUnusable, "\(request.input): smart rendering is not possible: \(reason)", remedy: .encodingTheWhole)
    }

    // MARK: Smart rendering

    /// Encodes the frames with effects, and copies all other frames.
    private func copyUntouched(
        _ pass: RunPass, _ preparation: RunRoute.Preparation, indexedRecording known: IndexedRecording?
    ) async throws(FlourishError) -> SessionOutcome {
        let start = ContinuousClock.now
        guard var pass = try await resolvingTrimStart(pass) else {
            let reason = SmartRenderUnavailable("its packets do not state with which frame the trim range begins")
            return try await encodeWhole(pass, .whole(RunRoute.Facts(pass.request), because: reason))
        }
        let request = pass.request
        let indexedRecording: IndexedRecording
        if preparation == .analysis {
            let found = try await analyse(pass)
            pass = pass.rendering(found, as: .rendering)
            // Requests are refused from here on, since all effects are planned.
            control.state.withLock { $0.isRunning = false }
            indexedRecording = found.indexedRecording
        } else {
            indexedRecording =
                if let known { known } else { try await self.indexRecording(of: request) }
            if preparation == .indexAndPhotographs { try await photographPlan(&pass) }
        }
        let time = (ContinuousClock.now - start) / .seconds(1)
        try request.configuration.validate()
        switch try await SpliceRun.start(
            pass, packetIndex: indexedRecording.video, analysisTime: time, control: control)
        {
        case .done(let outcome): return outcome
        case .refused(let unavailable):
            if preparation == .analysis {
                pass.request.observer = request.observer.during(.renderingAll, of: .rendering)
            }
            // After an analysis, no gestures are detected any more, so the route contains no second analysis.
            return try await encodeWhole(pass, .whole(RunRoute.Facts(pass.request), because: unavailable))
        }
    }

    /// Captures the photographs of a plan's reactions. Takes a pass of its own, because smart rendering does not decode
    /// most frames of these photographs.
    private func photographPlan(_ pass: inout RunPass) async throws(FlourishError) {
        var taking = pass
        taking.request.output = nil
        let events = Slot<[ReactionEvent]>([])
        taking.request.observer = SessionObserver(event: { event in
            if event.kind.isPhotograph { events.value.append(event) }
        })
        let outcome = try await perform(try await scanned(taking))
        if outcome.interrupted {
            throw FlourishError(
                .interrupted, "\(pass.request.input): stopped while photographs were captured; \(Self.writesLater)")
        }
        pass.photos = nil
        pass.replayedEvents += events.value
    }

    // MARK: Encoding all frames

    /// Encodes all frames, and states the route's reason.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` if there is a reason, and smart rendering was required.
    private func encodeWhole(_ pass: RunPass, _ route: RunRoute) async throws(FlourishError) -> SessionOutcome {
        guard let reason = route.reason else { return try await perform(pass) }
        if let refusal = refusal(of: route, pass.request) { throw refusal }
        var pass = pass
        pass.fullEncodeReason = reason
        if route.kind == .analyseThenEncode, let exact = try await resolvingTrimStart(pass) {
            try pass.request.configuration.validate()
            try await PipelineRun.preflight(exact.request, control: control)
            let found = try await analyse(exact, share: SessionProgress.Part.analysisShareOfFullEncode)
            pass = pass.rendering(found, as: .renderingWhole)
        }
        pass.request.configuration.input.opening = nil
        // Decoding all frames reports these events again.
        pass.replayedEvents.removeAll { event in
            if case .warning(let code, _) = event.kind { code == .damagedInput || code == .timestampGap } else { false }
        }
        return try await perform(pass)
    }

    // MARK: Overlays

    /// Writes effects without the video. If possible, only the frames of a recording that show effects are decoded.
    private func writeOverlay(_ pass: RunPass) async throws(FlourishError) -> SessionOutcome {
        let whole = try overlay(pass)
        let route = try await route(of: whole.request)
        guard route.kind == .overlay, var pass = try await resolvingTrimStart(whole) else {
            return try await perform(whole)
        }
        let scan: ScannedRecording?
        if route.preparation == .analysis {
            let found = try await analyse(pass)
            pass = pass.rendering(found, as: .rendering)
            control.state.withLock { $0.isRunning = false }
            scan = found.scan
        } else {
            var unseen = pass
            unseen.detectsHands = false
            scan = try await blocking { [control, unseen] () throws(FlourishError) in
                try RecordingScan(unseen, control: control).run()
            }
        }
        let request = pass.request
        let catalog = try EffectCatalog(
            resources: request.resources, checking: request.configuration, showing: request.plan)
        return try await perform(pass.limited(to: scan?.showing(pass.schedule, by: catalog)))
    }

    /// Returns the pass of an overlay, whose container determines its coding. Throws before anything is read if the
    /// output cannot be written.
    private func overlay(_ pass: RunPass) throws(FlourishError) -> RunPass {
        var pass = pass
        let request = pass.request
        try request.configuration.validate()
        pass.request.configuration.encoding = request.configuration.encoding.forOverlay
        if let output = request.output {
            let pictures = PictureSequence.paths(of: output)
            for path in pictures.isEmpty ? [output] : pictures {
                try OutputCheck.check(path, input: request.input, overwrite: request.configuration.overwrite)
            }
            try Self.checkTransparency(of: output, request.configuration)
        }
        return pass
    }

    /// Refuses an overlay whose container does not support transparent video.
    static func checkTransparency(of output: String, _ configuration: Configuration) throws(FlourishError) {
        guard OutputKind(configuration, path: output) == .overlay else { return }
        do {
            let container = ContainerFormat.chosen(
                for: output, format: try ContainerFormat(configuration, path: output))
            if container == nil, case .file = MediaAddress(output) { throw TransparentCoding.unknown(output) }
            _ = try TransparentCoding(for: output, in: container ?? .nut)
        } catch {
            throw FlourishError(describing: error)
        }
    }
}

// MARK: - Analysis

extension SessionRun {
    private static let writesLater = "nothing was written, since writing starts after the analysis"

    /// Finds all reactions in a recording, and the positions at which it can be cut.
    ///
    /// - Parameter share: The estimated share of the whole run that the analysis takes, 0…1.
    /// - Throws: ``FlourishError``; ``FlourishError/Code/interrupted`` if it was stopped before the end.
    private func analyse(
        _ pass: RunPass, share: Double = SessionProgress.Part.analysisShare
    ) async throws(FlourishError) -> AnalysisResult {
        var analysis = pass.analysing()
        let events = Slot<[ReactionEvent]>([])
        analysis.request.observer.event = { event in
            if event.isReplayed { events.value.append(event) }
        }
        let furthest = Slot(0.0)
        analysis = analysis.recordingProgress(in: furthest)
        let outcome: SessionOutcome
        do throws(FlourishError) {
            analysis = try await scanned(analysis, .looking, share: 0...share)
            outcome = try await perform(analysis)
        } catch  where error.code == .interrupted {
            throw .stoppedDuringAnalysis(at: pass.request.input, furthest.value / share, Self.writesLater)
        }
        guard !outcome.interrupted, let plan = outcome.plan, let indexedRecording = outcome.indexedRecording else {
            throw .stoppedDuringAnalysis(at: pass.request.input, furthest.value / share, Self.writesLater)
        }
        return AnalysisResult(plan: plan, indexedRecording: indexedRecording, events: events.value, scan: analysis.scan)
    }

    /// Returns the pass with the frames that a quick scan selects for close analysis. Returns it unchanged if all
    /// frames must be analysed.
    ///
    /// - Parameter share: The part of the run's progress, within 0…1, that the scan and the close analysis take.
    func scanned(
        _ pass: RunPass, _ kind: SessionProgress.Pass = .only, share: ClosedRange<Double> = 0...1
    ) async throws(FlourishError) -> RunPass {
        let request = pass.request
        // Scanning takes minutes, so an unknown effect is reported before.
        _ = try EffectCatalog(resources: request.resources, checking: request.configuration)
        let parts = SessionProgress.Part.analysis(share)
        var quick = pass
        quick.request.observer = request.observer.during(parts.quick, of: kind)
        let scan = try await blocking { [control, quick] () throws(FlourishError) in
            try RecordingScan(quick, control: control).run()
        }
        var scanned = pass.limited(to: scan)
        scanned.request.observer = request.observer.during(scan == nil ? parts.all : parts.close, of: kind)
        return scanned
    }

    /// Returns the pass with the exact first picture of the trim range, if there is a trim range.
    ///
    /// - Returns: `nil` if the packets do not determine that picture.
    func resolvingTrimStart(_ pass: RunPass) async throws(FlourishError) -> RunPass? {
        let request = pass.request
        guard request.configuration.input.trim != nil else { return pass }
        let opening = try await blocking { [control] () throws(MediaError) in
            try request.openInput(control.interrupt).readOpening()
        }
        guard let opening else { return nil }
        var pass = pass
        pass.request.configuration.input.opening = opening
        return pass
    }

    /// Indexes all packets of a recording.
    func indexRecording(of request: PipelineRequest) async throws(FlourishError) -> IndexedRecording {
        try await blocking { [control] () throws(MediaError) in
            try PacketIndexer.index(request.openInput(control.interrupt))
        }
    }

    /// Runs a blocking body on a separate thread, and stops it if the task is cancelled.
    private func blocking<Value: Sendable, Failure: Error>(
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

extension RunPass {
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

extension FlourishError {
    /// Returns the error of a run that was stopped during the analysis of a recording.
    ///
    /// - Parameter fraction: The share of the recording that was analysed, 0…1.
    fileprivate static func stoppedDuringAnalysis(at input: String, _ fraction: Double, _ consequence: String)
        -> FlourishError
    {
        let percent = Int(min(max(fraction, 0), 1) * 100)
        return FlourishError(
            .interrupted,
            "\(input): stopped when \(percent) % of it was analysed; \(consequence)"
        )
    }
}

extension ReactionEvent {
    /// True if the rendering pass emits this event of the analysis pass. An event about gestures or the input is
    /// emitted again, an event about the shown effects is not.
    fileprivate var isReplayed: Bool {
        switch kind {
        case .gesture, .candidate, .layoutChanged, .warning: true
        default: kind.isPhotograph
        }
    }
}

extension EncodingOptions {
    /// The options that apply to an overlay.
    fileprivate var forOverlay: EncodingOptions {
        var options = EncodingOptions()
        options.effectsFrameRate = effectsFrameRate
        options.effectDetail = effectDetail
        return options
    }
}
