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
        for key in SettingKey.all {
            guard let value = key.read(self), key.kind.accept(value) == nil else { continue }
            throw FlourishError(.usage, "\(key.name) must be \(key.expectation), not \(value.toml)")
        }
        try encoding.validate()
        if embedsMetadata, encoding.codec != .h264, encoding.codec != .hevc {
            throw FlourishError(
                .usage, "metadata can be embedded in h264 and hevc only, not in \(encoding.codec.rawValue)")
        }
        for reaction in scheduledReactions {
            guard reaction.seconds.isFinite, reaction.seconds >= 0 else {
                throw FlourishError(
                    .usage,
                    "\(reaction.reactionType) cannot be shown at \(reaction.seconds) s; give a time of 0 or more")
            }
            guard let origin = reaction.origin else { continue }
            guard (0...1).contains(origin.x), (0...1).contains(origin.y) else {
                throw FlourishError(
                    .usage,
                    "\(reaction.reactionType) cannot start at \(origin.x), \(origin.y); places are 0…1 of the picture")
            }
        }
    }
}

extension EncodingOptions {
    /// Refuses options that contradict each other.
    fileprivate func validate() throws(FlourishError) {
        if crf != nil && bitrate != nil {
            throw FlourishError(.usage, "crf and bitrate exclude each other; give one")
        }
        let highest = codec.highestCRF
        if let crf, crf > highest {
            throw FlourishError(
                .usage,
                "crf must lie between 0 and \(SettingKind.plain(highest)) for \(codec.rawValue), not \(SettingKind.plain(crf))"
            )
        }
        if let maxBitrate {
            guard let bitrate else { throw FlourishError(.usage, "max-bitrate needs bitrate; give both") }
            if maxBitrate < bitrate {
                throw FlourishError(.usage, "max-bitrate, \(maxBitrate), must not lie below bitrate, \(bitrate)")
            }
        }
        try validateCeilings()
        if protectsFaces && codec != .h264 && codec != .hevc {
            throw FlourishError(.usage, "protect-face is for h264 and hevc, not \(codec.rawValue)")
        }
        if effectBits != nil && bitrate != nil {
            throw FlourishError(.usage, "effect-bits is for constant quality; leave it or bitrate out")
        }
    }
}

extension EncodingOptions {
    private func validateCeilings() throws(FlourishError) {
        guard let maxFrameQP else {
            guard maxFrameQPDuringEffects == nil else {
                throw FlourishError(.usage, "max-frame-qp-effects needs max-frame-qp; give both")
            }
            return
        }
        guard bitrate != nil else {
            throw FlourishError(.usage, "max-frame-qp needs bitrate; with constant quality give a lower crf")
        }
        guard codec == .h264 else {
            throw FlourishError(.usage, "max-frame-qp is for h264, not \(codec.rawValue)")
        }
        if let maxFrameQPDuringEffects, maxFrameQPDuringEffects < maxFrameQP {
            throw FlourishError(
                .usage,
                "max-frame-qp-effects, \(maxFrameQPDuringEffects), must not lie below max-frame-qp, \(maxFrameQP)")
        }
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
