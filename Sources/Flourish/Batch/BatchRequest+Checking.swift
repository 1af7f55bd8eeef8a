import MediaIO
import Pipeline
import Platform

/// Validates a batch request: an error that would fail every recording is reported once.
extension BatchRequest {
    /// Rejects settings that are invalid for every recording.
    ///
    /// - Throws: ``FlourishError``, most of the code ``FlourishError/Code/usage``.
    func check() throws(FlourishError) {
        try configuration.validate()
        if configuration.isLive { throw FlourishError(.usage, "a batch is of recordings; leave live out") }
        if product == .video, configuration.outputFormat == nil, !configuration.writesOverlay {
            try name?.checkIsOfVideo()
        }
        if inputs.isEmpty { throw FlourishError(.usage, "there is no input; name recordings or folders") }
        let resources = configuration.resources ?? .located()
        _ = try EffectCatalog(resources: resources, checking: configuration)
        if let message = InputSettings(configuration, address: "").fileFault { throw FlourishError(.usage, message) }
        if product == .video, configuration.encoding.smartRender == .always, !configuration.writesOverlay,
            let option = RunRoute.Facts.encoderOption(configuration.encoding)
        {
            throw FlourishError(
                .usage, "no recording can be rendered smartly: \(option) is for the whole video",
                remedy: .encodingTheWhole)
        }
    }

    /// Refuses an encoding that none of the outputs can have.
    ///
    /// - Parameter outputs: The paths of the outputs from the output folder.
    /// - Throws: ``FlourishError/Code/usage``.
    func check(outputs: [[UInt8]]) throws(FlourishError) {
        guard product == .video, !outputs.isEmpty else { return }
        var fault: String?
        for path in outputs {
            guard let found = self.fault(of: RawName.text(path)) else { return }
            fault = fault ?? found
        }
        if let fault { throw FlourishError(.usage, fault) }
    }

    /// The reason why an output cannot be encoded as asked for; `nil` if it can.
    private func fault(of output: String) -> String? {
        do throws(MediaError) {
            let container = try ContainerFormat.chosen(configuration, path: output)
            if configuration.writesOverlay {
                _ = try TransparentCoding(for: output, in: container)
                return nil
            }
            var chosen = configuration
            chosen.chooseCodec(for: container)
            return VideoEncoder.fault(of: VideoEncoderSettings(chosen), in: container)
        } catch {
            return error.problem
        }
    }
}

extension Configuration {
    /// Sets the codec that a container takes, unless one is named.
    mutating func chooseCodec(for container: ContainerFormat) {
        if !encoding.namesCodec, !container.takesH264 { encoding.codec = .vp9 }
    }
}
