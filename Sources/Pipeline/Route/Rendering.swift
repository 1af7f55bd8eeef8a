package import MediaIO
import Platform
package import Reactions

/// Writes the output of a run on its route.
///
/// ```
/// route ─┬─ one pass ─────────────────────────────────▶ PipelineRun
///        ├─ analyse, then encode ▶ RecordingAnalysis ─▶ PipelineRun
///        ├─ smart ───────────────▶ RecordingAnalysis ─▶ SpliceRun ─(refused)─▶ PipelineRun
///        └─ overlay ─────────────▶ RecordingAnalysis ─▶ PipelineRun, of frames with effects
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
        var pass = pass
        try pass.configuration.videoEffects.background.check()
        switch pass.outputKind {
        case .overlay, .pictures: try prepareOverlay(&pass)
        case .video, nil: if pass.configuration.encoding.smartRender != .never { try pass.checkOutput() }
        }
        let route = try await route(of: pass)
        return switch route {
        case .smart: try await copyUntouched(pass)
        case .overlay: try await writeOverlay(pass)
        case .onePass, .analyseThenEncode: try await encodeWhole(pass, route)
        }
    }

    /// Chooses the route of a run. The input may have to be probed for this.
    ///
    /// - Parameter opensInput: Whether a file is opened on every route, so that its faults are thrown.
    /// - Throws: ``FlourishError`` if the input cannot be opened.
    private func route(of pass: RunPass, opensInput: Bool = false) async throws(FlourishError) -> RunRoute {
        let route = RunRoute(pass)
        guard route == .smart || opensInput && RecordedFile.size(of: pass.input) != nil else { return route }
        return try await control.onThread { [control] () throws(MediaError) in
            let demuxer = try pass.openInput(control.interrupt)
            return route == .overlay ? route : RunRoute(pass, probed: try pass.incompatibility(copying: demuxer))
        }
    }

    /// Describes the way of a run without writing anything: its route, and for a recording that is rendered smartly its
    /// segments, for which it is analysed.
    ///
    /// - Throws: The errors that a run throws before it writes, except for the error that the output exists.
    package func explanation(of pass: RunPass) async throws(FlourishError) -> String {
        _ = try pass.readCatalog()
        try pass.configuration.videoEffects.background.check()
        var route = try await route(of: pass, opensInput: true)
        if let output = pass.output { try Self.checkTransparency(of: output, pass.configuration) }
        var segments: [String] = []
        if route == .smart {
            if let exact = try await pass.resolvingTrimStart(control) {
                let analysis = try await RecordingAnalysis.of(exact, control, before: .rendering)
                let found = try await control.onThread { [control] () throws(FlourishError) in
                    try SpliceLayout.segments(of: analysis.rendering, analysis.indexedRecording.video, control)
                }
                switch found {
                case .success(let found): segments = found
                case .failure(let unavailable): route = .whole(pass, because: unavailable)
                }
            } else {
                route = .whole(pass, because: Self.unknownStart)
            }
        }
        try Self.check(route, pass)
        return ([route.explanation] + segments).joined(separator: "\n")
    }

    private static let unknownStart = SmartRenderUnavailable(
        "its packets do not state with which frame the trim range begins")

    /// Refuses a route without smart rendering if that is required.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable``.
    private static func check(_ route: RunRoute, _ pass: RunPass) throws(FlourishError) {
        guard pass.configuration.encoding.smartRender == .always, let reason = route.reason else { return }
        throw FlourishError(
            .inputUnusable, "\(pass.input): smart rendering is not possible: \(reason)", remedy: .encodingTheWhole)
    }

    /// Encodes the frames with effects, and copies all other frames.
    private func copyUntouched(_ pass: RunPass) async throws(FlourishError) -> SessionOutcome {
        let start = ContinuousClock.now
        guard let exact = try await pass.resolvingTrimStart(control) else {
            return try await encodeWhole(pass, .whole(pass, because: Self.unknownStart))
        }
        let analysis = try await RecordingAnalysis.of(exact, control, before: .rendering, indexed: known)
        let time = (ContinuousClock.now - start) / .seconds(1)
        switch try await SpliceRun.start(
            analysis.rendering, packetIndex: analysis.indexedRecording.video, analysisTime: time, control: control)
        {
        case .done(let outcome): return outcome
        case .refused(let unavailable):
            var whole = analysis.rendering
            if pass.needsAnalysis { whole.observer = pass.observer.during(.renderingAll, of: .rendering) }
            // No gestures are detected any more, so the route contains no second analysis.
            return try await encodeWhole(whole, .whole(whole, because: unavailable))
        }
    }

    /// Encodes all frames, and states the route's reason.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` if there is a reason, and smart rendering was required.
    private func encodeWhole(_ pass: RunPass, _ route: RunRoute) async throws(FlourishError) -> SessionOutcome {
        try Self.check(route, pass)
        var pass = pass
        pass.fullEncodeReason = route.reason
        if case .analyseThenEncode = route, let exact = try await pass.resolvingTrimStart(control) {
            try await PipelineRun.preflight(exact, control: control)
            pass = try await RecordingAnalysis.of(exact, control, before: .renderingWhole).rendering
        }
        pass.configuration.input.opening = nil
        // Decoding all frames reports these events again.
        pass.replayedEvents.removeAll { event in
            if case .warning(let code, _) = event.kind { code == .damagedInput || code == .timestampGap } else { false }
        }
        return try await PipelineRun.start(pass, control: control)
    }

    /// Writes effects without the video. Only the frames of a recording that show effects are decoded.
    private func writeOverlay(_ whole: RunPass) async throws(FlourishError) -> SessionOutcome {
        guard var pass = try await whole.resolvingTrimStart(control) else {
            return try await PipelineRun.start(whole, control: control)
        }
        let scan: ScannedRecording?
        if pass.findsGestures || pass.findsTiles {
            let analysis = try await RecordingAnalysis.of(pass, control, before: .rendering)
            (pass, scan) = (analysis.rendering, analysis.scan)
        } else {
            var unseen = pass
            unseen.detectsHands = false
            scan = try await control.onThread { [control, unseen] () throws(FlourishError) in
                try RecordingScan(unseen, control: control).run()
            }
        }
        let shown = scan?.showing(pass.schedule, by: try pass.readCatalog())
        return try await PipelineRun.start(pass.limited(to: shown), control: control)
    }

    /// Removes the options that do not apply to an overlay, whose container determines its coding. Throws before
    /// anything is read if the output cannot be written.
    private func prepareOverlay(_ pass: inout RunPass) throws(FlourishError) {
        let encoding = pass.configuration.encoding
        pass.configuration.encoding = EncodingOptions()
        pass.configuration.encoding.effectsFrameRate = encoding.effectsFrameRate
        pass.configuration.encoding.effectDetail = encoding.effectDetail
        guard let output = pass.output else { return }
        let pictures = PictureSequence.paths(of: output)
        for path in pictures.isEmpty ? [output] : pictures {
            try OutputCheck.check(path, input: pass.input, overwrite: pass.configuration.overwrite)
        }
        try Self.checkTransparency(of: output, pass.configuration)
    }

    /// Refuses an overlay whose container does not support transparent video.
    package static func checkTransparency(of output: String, _ configuration: Configuration) throws(FlourishError) {
        guard RunOutput.Kind(configuration, path: output) == .overlay else { return }
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
