/// How video is encoded. What is nil is chosen by the encoder, see each.
package struct VideoEncoderSettings: Sendable, Hashable {
    package var codec: VideoCodec
    /// Constant quality: lower is better. By default 23 for H.264, 28 for HEVC, 32 for VP9 and 35
    /// for AV1, unless a bit rate is given.
    package var crf: Double?
    /// Bits a second.
    package var bitRate: Int?
    /// Whether each second keeps to `bitRate`, rather than the whole file. Only then can
    /// ``VideoEncoder/adjust(_:)`` change the rate.
    package var isConstantRate: Bool
    /// The coarsest quantiser that a frame may have, 1…51, whatever that costs; H.264 only.
    package var maxQP: Int?
    /// Whether each picture comes out as soon as it is coded: the encoder looks at none ahead.
    package var isLowLatency = false
    /// Whether frames come with ``VideoFrame/regions``.
    package var usesRegions: Bool
    /// Whether messages of ``VideoFrame/embed(_:uuid:)`` are written; H.264 and HEVC only.
    package var embedsMessages = false
    /// The encoder's own preset name. By default `veryfast` for H.264 and HEVC;
    /// for VP9 (`cpu-used`) and AV1 a number, by default 6 and 10.
    package var preset: String?
    /// FFmpeg's name of a pixel format, such as `yuv420p`. By default the source's,
    /// or the nearest that the encoder takes.
    package var pixelFormat: String?
    /// The most pixels that the shorter side of a picture may have; larger ones are made smaller.
    package var shorterSide: Int?
    /// Threads of the encoder; 0 for its own choice.
    package var threads: Int
    /// Options of the encoder by FFmpeg's names, set last.
    package var extraOptions: [String: String]
    /// FFmpeg's name of an encoder that is used instead of the codec's usual one.
    package var encoderName: String?
    /// How pictures with alpha are coded; with it, `codec`, `crf` and `preset` count for nothing.
    package var transparency: TransparentCoding?
    /// How packets are made to fit between those of another stream; nil where they stand alone.
    package var spliced: SplicedCoding?

    package init(
        codec: VideoCodec = .h264, crf: Double? = nil, bitRate: Int? = nil,
        isConstantRate: Bool = false, maxQP: Int? = nil, usesRegions: Bool = false, preset: String? = nil,
        pixelFormat: String? = nil, threads: Int = 0,
        extraOptions: [String: String] = [:]
    ) {
        self.codec = codec
        self.crf = crf
        self.bitRate = bitRate
        self.isConstantRate = isConstantRate
        self.maxQP = maxQP
        self.usesRegions = usesRegions
        self.preset = preset
        self.pixelFormat = pixelFormat
        self.threads = threads
        self.extraOptions = extraOptions
    }

    /// The constant quality that holds where no bit rate is given.
    package var usedCRF: Double {
        if let crf { return crf }
        return switch codec {
        case .h264: 23
        case .hevc: 28
        case .vp9: 32
        case .av1: 35
        }
    }
}
