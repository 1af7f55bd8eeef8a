extension Configuration {
    /// How long a hold may be, in seconds.
    public static let holdRange = 0.0...10
    /// How long a cooldown may be, in seconds.
    public static let cooldownRange = 0.0...3600

    /// Refuses settings that make no sense: numbers out of range or not numbers at all, and
    /// those that contradict each other. Sessions and inspectors do so by themselves.
    ///
    /// - Throws: ``FlourishError/Code/usage``.
    public func validate() throws(FlourishError) {
        if let fault = faults.first { throw FlourishError(.usage, fault.message) }
    }

    /// A setting that makes no sense, or not beside others.
    struct Fault: Sendable {
        var message: String
        /// The names of the settings that it is about, the one to blame last.
        var names: [String] = []
    }

    /// Everything that makes no sense.
    var faults: [Fault] {
        var faults = SettingKey.all.compactMap { key -> Fault? in
            guard let value = key.read(self), key.kind.accept(value) == nil else { return nil }
            return Fault(message: "\(key.name) must be \(key.expectation), not \(value.toml)", names: [key.name])
        }
        faults += encoding.faults
        if writesOverlay, embedsMetadata {
            faults.append(Fault(message: "metadata cannot be embedded in an overlay; leave one of them out"))
        }
        if embedsMetadata, encoding.codec != .h264, encoding.codec != .hevc {
            faults.append(
                Fault(
                    message: "metadata can be embedded in h264 and hevc only, not in \(encoding.codec.rawValue)",
                    names: ["encoding.codec"]))
        }
        if let message = input.stretchFault
            ?? (isLive && input.stretch != nil ? "a live run has no start and end" : nil)
        {
            faults.append(Fault(message: message))
        }
        return faults + scheduledReactions.compactMap(\.fault)
    }
}

extension InputOptions {
    fileprivate var stretchFault: String? {
        if !start.isFinite || start < 0 { return "the start must be 0 or more seconds, not \(start)" }
        guard let end, !end.isFinite || end <= start else { return nil }
        return "the end, \(SettingKind.plain(end)) s, must lie after the start, \(SettingKind.plain(start)) s"
    }
}

extension ScheduledReaction {
    fileprivate var fault: Configuration.Fault? {
        guard seconds.isFinite, seconds >= 0 else {
            return Configuration.Fault(
                message: "\(reactionType) cannot be shown at \(seconds) s; give a time of 0 or more")
        }
        guard let origin, !(0...1).contains(origin.x) || !(0...1).contains(origin.y) else { return nil }
        return Configuration.Fault(
            message: "\(reactionType) cannot start at \(origin.x), \(origin.y); places are 0…1 of the picture")
    }
}

extension EncodingOptions {
    /// Options that contradict each other.
    fileprivate var faults: [Configuration.Fault] {
        var faults: [Configuration.Fault] = []
        func note(_ names: String..., message: String) {
            faults.append(Configuration.Fault(message: message, names: names.map { "encoding." + $0 }))
        }
        if crf != nil && bitrate != nil {
            note("crf", "bitrate", message: "crf and bitrate exclude each other; give one")
        }
        let highest = codec.highestCRF
        if let crf, crf > highest {
            note(
                "codec", "crf",
                message:
                    "crf must lie between 0 and \(SettingKind.plain(highest)) for \(codec.rawValue), not \(SettingKind.plain(crf))"
            )
        }
        if let maxBitrate {
            if let bitrate, maxBitrate < bitrate {
                note(
                    "bitrate", "max-bitrate",
                    message: "max-bitrate, \(maxBitrate), must not lie below bitrate, \(bitrate)")
            } else if bitrate == nil {
                note("max-bitrate", message: "max-bitrate needs bitrate; give both")
            }
        }
        if let fault = ceilingFault { faults.append(fault) }
        if protectsFaces && codec != .h264 && codec != .hevc {
            note("codec", "protect-face", message: "protect-face is for h264 and hevc, not \(codec.rawValue)")
        }
        if effectBits != nil && bitrate != nil {
            note(
                "bitrate", "effect-bits", message: "effect-bits is for constant quality; leave it or bitrate out")
        }
        return faults
    }

    /// Of those that build on each other the first that fails.
    private var ceilingFault: Configuration.Fault? {
        func fault(_ names: String..., message: String) -> Configuration.Fault {
            Configuration.Fault(message: message, names: names.map { "encoding." + $0 })
        }
        let effects = "max-frame-qp-effects"
        guard let maxFrameQP else {
            return maxFrameQPDuringEffects == nil
                ? nil : fault(effects, message: "max-frame-qp-effects needs max-frame-qp; give both")
        }
        guard bitrate != nil else {
            return fault(
                "max-frame-qp", message: "max-frame-qp needs bitrate; with constant quality give a lower crf")
        }
        guard codec == .h264 else {
            return fault("codec", "max-frame-qp", message: "max-frame-qp is for h264, not \(codec.rawValue)")
        }
        guard let maxFrameQPDuringEffects, maxFrameQPDuringEffects < maxFrameQP else { return nil }
        return fault(
            "max-frame-qp", effects,
            message:
                "max-frame-qp-effects, \(maxFrameQPDuringEffects), must not lie below max-frame-qp, \(maxFrameQP)")
    }
}

extension EncodingOptions.Codec {
    /// The worst quality that the encoders know; they would take a higher number for this one.
    var highestCRF: Double {
        switch self {
        case .h264, .hevc: 51
        case .vp9, .av1: 63
        }
    }
}
