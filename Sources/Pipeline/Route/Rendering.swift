package import MediaIO
import Platform
package import Reactions
import Synchronization

/// Writes the output of a run on its route.
///
/// ```
/// route ─┬─ single pass, live ───────────────────────────────▶ PipelineRun
///        ├─ analyse, then encode ──▶ RecordingAnalysis ──────▶ PipelineRun
///        ├─ smart ─────────────────▶ analysis or index ──────▶ SpliceRun ─(refused)─▶ PipelineRun
///        └─ overlay ───────────────▶ analysis or index ──────▶ PipelineRun, of frames with effects
/// ```
package struct Rendering {
    private let control: SessionControl
    /// The index of the recording's packets, if it was read before.
    private let known: IndexedRecording?

    package init(_ control: SessionControl, indexedRecording: IndexedRecording? = nil) {
        self.control = control
        known = indexedRecording
    }

    /// Writes the output of a pass.
    ///
    /// - Throws: ``FlourishError``.
    package func write(_ pass: RunPass) async throws(FlourishError) -> SessionOutcome {
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
            ? try await copyUntouched(pass, route.preparation) : try await encodeWhole(pass, route)
    }

    // MARK: The route

    /// Chooses the route of a run. The input may have to be probed for this.
    ///
    /// - Parameter opensInput: Whether a file is opened on every route, so that its faults are thrown.
    /// - Throws: ``FlourishError`` if the input cannot be opened.
    package func route(
        of request: PipelineRequest, opensInput: Bool = false
    ) async throws(FlourishError) -> RunRoute {
        let facts = RunRoute.Facts(request), route = RunRoute.choose(facts)
        guard route.kind == .smart || opensInput && facts.inputIsFile else { return route }
        return try await control.onThread { [control] () throws(MediaError) in
            let demuxer = try request.openInput(control.interrupt)
            if route.kind == .overlay { return route }
            var probed = facts
            probed.probe(
                demuxer, container: try ContainerFormat.chosen(request.configuration, path: request.output ?? ""))
            return RunRoute.choose(probed)
        }
    }

    /// Refuses a route without smart rendering if that is required.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable``.
    package static func check(_ route: RunRoute, _ request: PipelineRequest) throws(FlourishError) {
        guard request.configuration.encoding.smartRender == .always, let reason = route.reason else { return }
        throw FlourishError(
            .inputUnusable, "\(request.input): smart rendering is not possible: \(reason)", remedy: .encodingTheWhole)
    }

    // MARK: Smart rendering

    /// Encodes the frames with effects, and copies all other frames.
    private func copyUntouched(
        _ pass: RunPass, _ preparation: RunRoute.Preparation
    ) async throws(FlourishError) -> SessionOutcome {
        let start = ContinuousClock.now
        guard var pass = try await pass.resolvingTrimStart(control) else {
            let reason = SmartRenderUnavailable("its packets do not state with which frame the trim range begins")
            return try await encodeWhole(pass, .whole(RunRoute.Facts(pass.request), because: reason))
        }
        let request = pass.request
        let indexedRecording: IndexedRecording
        if preparation == .analysis {
            let analysis = try await RecordingAnalysis.of(pass, control)
            pass = pass.rendering(analysis, as: .rendering)
            // Requests are refused from here on, since all effects are planned.
            control.state.withLock { $0.isRunning = false }
            indexedRecording = analysis.indexedRecording
        } else {
            indexedRecording = if let known { known } else { try await request.indexRecording(control) }
            if preparation == .indexAndPhotographs { try await photographPlan(&pass) }
        }
        let time = (ContinuousClock.now - start) / .seconds(1)
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
        let outcome = try await PipelineRun.start(try await taking.scanned(control), control: control)
        if outcome.interrupted {
            throw FlourishError(
                .interrupted,
                "\(pass.request.input): stopped while photographs were captured; \(RecordingAnalysis.writesLater)")
        }
        pass.photos = nil
        pass.replayedEvents += events.value
    }

    // MARK: Encoding all frames

    /// Encodes all frames, and states the route's reason.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` if there is a reason, and smart rendering was required.
    private func encodeWhole(_ pass: RunPass, _ route: RunRoute) async throws(FlourishError) -> SessionOutcome {
        guard let reason = route.reason else { return try await PipelineRun.start(pass, control: control) }
        try Self.check(route, pass.request)
        var pass = pass
        pass.fullEncodeReason = reason
        if route.kind == .analyseThenEncode, let exact = try await pass.resolvingTrimStart(control) {
            try await PipelineRun.preflight(exact.request, control: control)
            let analysis = try await RecordingAnalysis.of(
                exact, control, share: SessionProgress.Part.analysisShareOfFullEncode)
            pass = pass.rendering(analysis, as: .renderingWhole)
        }
        pass.request.configuration.input.opening = nil
        // Decoding all frames reports these events again.
        pass.replayedEvents.removeAll { event in
            if case .warning(let code, _) = event.kind { code == .damagedInput || code == .timestampGap } else { false }
        }
        return try await PipelineRun.start(pass, control: control)
    }

    // MARK: Overlays

    /// Writes effects without the video. If possible, only the frames of a recording that show effects are decoded.
    private func writeOverlay(_ pass: RunPass) async throws(FlourishError) -> SessionOutcome {
        let whole = try overlay(pass)
        let route = try await route(of: whole.request)
        guard route.kind == .overlay, var pass = try await whole.resolvingTrimStart(control) else {
            return try await PipelineRun.start(whole, control: control)
        }
        let scan: ScannedRecording?
        if route.preparation == .analysis {
            let analysis = try await RecordingAnalysis.of(pass, control)
            pass = pass.rendering(analysis, as: .rendering)
            control.state.withLock { $0.isRunning = false }
            scan = analysis.scan
        } else {
            var unseen = pass
            unseen.detectsHands = false
            scan = try await control.onThread { [control, unseen] () throws(FlourishError) in
                try RecordingScan(unseen, control: control).run()
            }
        }
        let request = pass.request
        let catalog = try EffectCatalog(
            resources: request.resources, checking: request.configuration, showing: request.plan)
        return try await PipelineRun.start(
            pass.limited(to: scan?.showing(pass.schedule, by: catalog)), control: control)
    }

    /// Returns the pass of an overlay, whose container determines its coding. Throws before anything is read if the
    /// output cannot be written.
    private func overlay(_ pass: RunPass) throws(FlourishError) -> RunPass {
        var pass = pass
        let request = pass.request
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
    package static func checkTransparency(of output: String, _ configuration: Configuration) throws(FlourishError) {
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

extension EncodingOptions {
    /// The options that apply to an overlay.
    fileprivate var forOverlay: EncodingOptions {
        var options = EncodingOptions()
        options.effectsFrameRate = effectsFrameRate
        options.effectDetail = effectDetail
        return options
    }
}
