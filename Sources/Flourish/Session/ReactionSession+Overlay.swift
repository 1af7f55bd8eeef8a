import MediaIO
import Synchronization

/// Overlays: the effects of a recording without its pictures.
extension ReactionSession {
    /// Writes effects alone. A recording is looked through first, and then only the frames are decoded that show
    /// something.
    ///
    /// Between ``begin()`` and ``end()``.
    ///
    /// - Parameter route: on which that can be done, or else all frames are decoded in one pass.
    func filterOverlay(_ request: PipelineRequest, _ route: RunRoute) async throws(FlourishError) -> SessionOutcome {
        var request = request
        try request.configuration.validate()
        request.configuration.encoding = request.configuration.encoding.forOverlay
        if let output = request.output { try check(output, input: request.input) }
        guard route.kind == .overlay, let exact = try await toThePacket(request) else {
            return try await perform(request)
        }
        request = exact
        var index: ScannedRecording?
        if request.plan == nil, configuration.gesturesEnabled {
            let looked = try await look(request)
            request.observer = request.observer.during(.rendering, of: .rendering)
            request.show(looked)
            control.state.withLock { $0.isRunning = false }
            index = looked.scan
        } else {
            var unseen = request
            unseen.configuration.gesturesEnabled = false
            index = try await blocking { [control, unseen] () throws(FlourishError) in
                try RecordingScan(request: unseen, control: control).run()
            }
        }
        let catalog = try EffectCatalog(resources: resources, checking: request.configuration)
        request.scan = index?.showing(request.scheduled, by: catalog)
        return try await perform(request)
    }

    /// Refuses an output that cannot be, before anything is read.
    private func check(_ output: String, input: String) throws(FlourishError) {
        let pictures = PictureSequence.paths(of: output)
        for path in pictures.isEmpty ? [output] : pictures {
            try OutputCheck.check(path, input: input, overwrite: configuration.overwrite)
        }
        try checkOverlay(output)
    }

    /// Refuses an output whose container holds no transparent video.
    func checkOverlay(_ output: String) throws(FlourishError) {
        if PictureSequence.isPattern(output) { return }
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
    /// What of it counts for an overlay, which is coded as its container has it.
    fileprivate var forOverlay: EncodingOptions {
        var options = EncodingOptions()
        options.effectsFrameRate = effectsFrameRate
        options.effectDetail = effectDetail
        return options
    }
}
