import MediaIO

extension VideoEncoderSettings {
    /// The settings for what the configuration asks for.
    package init(_ configuration: Configuration) {
        self.init(configuration.encoding)
        isLowLatency = configuration.isLive
        embedsMessages = configuration.embedsMetadata
        if configuration.isPreview { hurry() }
    }

    /// What every browser plays, as soon as it can be had: a short group of pictures is a fragment that can be shown.
    /// Chromium begins with one of eight, and waits for the second one if they are shorter.
    private mutating func hurry() {
        (codec, crf, bitRate, maxQP, usesRegions) = (.h264, 24, nil, nil, false)
        (preset, pixelFormat, shorterSide, isLowLatency) = ("ultrafast", "yuv420p", 720, true)
        extraOptions["g"] = "8"
    }

    package init(_ options: EncodingOptions) {
        let codec: VideoCodec =
            switch options.codec {
            case .h264: .h264
            case .hevc: .hevc
            case .vp9: .vp9
            case .av1: .av1
            }
        self.init(
            codec: codec, crf: options.crf, bitRate: options.bitrate,
            // Only a rate that is constant can be raised for effects.
            isConstantRate: options.codec == .h264,
            // The encoder's own limit cannot change while it runs: it is the looser of the two.
            maxQP: options.maxFrameQPDuringEffects ?? options.maxFrameQP, usesRegions: options.protectsFaces,
            preset: options.preset,
            pixelFormat: options.pixelFormat)
    }
}
