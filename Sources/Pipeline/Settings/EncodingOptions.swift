import MediaIO

/// The choice between encoding only the segments with effects, while everything else is copied, and encoding the whole
/// recording.
public enum SmartRender: String, Sendable, Hashable, CaseIterable {
    /// Copies all frames without effects if the recording, the output and the options allow it. Otherwise the whole
    /// video is encoded, and ``ReactionEvent/StreamDescription/wholeReason`` states the reason.
    case auto
    /// Copies all frames without effects. A run that cannot copy them fails.
    case always
    /// Encodes the whole recording.
    case never
}

/// The options of the encoder.
public struct EncodingOptions: Sendable, Hashable {
    /// A video codec of an output.
    public enum Codec: String, Sendable, Hashable, CaseIterable {
        /// The codecs' usual names.
        case h264, hevc, vp9, av1

        /// Creates the codec of a name, which may be another usual name of the codec or of its encoder, such as `H.265`
        /// or `x264`; `nil` for an unknown name.
        package init?(name: String) {
            switch name.lowercased().filter({ $0 != "." && $0 != "-" }) {
            case "h264", "avc", "avc1", "x264", "libx264": self = .h264
            case "hevc", "h265", "x265", "libx265": self = .hevc
            case "vp9", "libvpxvp9": self = .vp9
            case "av1", "libsvtav1", "svtav1", "libaomav1", "aomav1": self = .av1
            default: return nil
            }
        }
    }

    /// A value that determines whether frames without effects are copied.
    public var smartRender = SmartRender.auto
    /// The codec of the output. Setting it causes the whole video to be encoded.
    public var codec = Codec.h264 {
        didSet { namesCodec = true }
    }
    /// True if the user chose the codec.
    package var namesCodec = false
    /// The constant quality: lower is better. The codec's default applies if neither this nor `bitrate` is set.
    public var crf: Double?
    /// The bit rate in bits per second. With H.264 it applies to each second, and with other codecs on average.
    public var bitrate: Int?
    /// With `bitrate`: the maximum bit rate while effects run; three times `bitrate` if `nil`.
    public var maxBitrate: Int?
    /// With `bitrate`, H.264 only: the maximum quantiser of a frame, 1…51. If the bit rate is too low for this, frames
    /// are dropped evenly. No limit if `nil`.
    public var maxFrameQP: Int?
    /// The maximum quantiser of a frame while effects run; `maxFrameQP` if `nil`.
    public var maxFrameQPDuringEffects: Int?
    /// The limit of an effect's bits if `bitrate` is not set, as a multiple of the bits of the frames before the
    /// effect. Above the limit, the quality is lowered slightly. Unlimited if `nil`.
    public var effectBits: Double?
    /// The maximum frame rate while effects run. Excess frames are dropped, and the other frames keep their times. If
    /// `nil`, the input's rate is kept.
    public var effectsFrameRate: EffectsFrameRate?
    /// The share of their particles with which effects are drawn, 0.1…1. If `nil`, all particles are drawn, or fewer if
    /// `bitrate` cannot rise enough for all of them (H.264).
    public var effectDetail: Double?
    /// True if faces keep a finer quantiser while effects run; H.264 and HEVC only.
    public var protectsFaces = false
    /// The encoder's own preset name, such as `veryfast` (H.264, HEVC) or `8` (AV1).
    public var preset: String?
    /// FFmpeg's name of the pixel format, such as `yuv420p`; the input's if `nil`.
    public var pixelFormat: String?
    /// The maximum number of pixels of a picture's shorter side; larger pictures are scaled down.
    package var shorterSide: Int?
    /// The number of frames of a group of pictures; the encoder's choice if `nil`.
    package var groupLength: Int?
    /// True if each frame is output as soon as it is encoded, even in a run that is not live.
    package var isLowLatency = false

    /// The pixel formats that shells offer.
    package static let usualPixelFormats = ["yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "nv12"]
    /// The default factor by which effects may raise the bit rate. At three times the rate, confetti over a talking
    /// head costs a few decibels of quality instead of ten or more.
    public static let defaultRaise = 3

    /// The maximum bit rate in bits per second; `nil` if there is no limit.
    package var bitRateLimit: Int? { bitrate.map { max(maxBitrate ?? $0 * Self.defaultRaise, $0) } }

    /// Creates the default settings.
    public init() {}

    /// The options for a preview. Every browser can play it, and playback begins as early as possible. A short group of
    /// pictures is a fragment that can be shown. Chromium starts with a fragment of eight pictures, but waits for the
    /// second fragment if fragments are shorter.
    package static var preview: EncodingOptions {
        var options = EncodingOptions()
        (options.codec, options.crf, options.preset, options.pixelFormat) = (.h264, 24, "ultrafast", "yuv420p")
        (options.shorterSide, options.groupLength, options.isLowLatency) = (720, 8, true)
        return options
    }
}

/// The highest frame rate while effects run.
public enum EffectsFrameRate: Sendable, Hashable {
    /// This many frames per second, above 0.
    case limit(Double)
    /// Half the rate of an input with more than 45 frames per second, such as 30 of 60; otherwise the full rate.
    case automatic

    /// The rate above which every second frame is sufficient while effects run. The next common rate is 48, and its
    /// half is the rate of cinema films.
    static let halvedAbove = 45.0

    /// Returns the maximum frame rate for an input of a nominal rate; `nil` if all frames are kept.
    package func rate(forInput inputRate: Double?) -> Double? {
        switch self {
        case .limit(let rate): rate
        case .automatic: inputRate.flatMap { $0 > Self.halvedAbove ? $0 / 2 : nil }
        }
    }
}

extension Configuration {
    /// The limit that applies whenever effects run; `nil` if there is none. In a live run,
    /// ``EffectsFrameRate/automatic`` does not count, because it applies only when the machine is too slow.
    package var limitWhileEffectsRun: EffectsFrameRate? {
        isLive && encoding.effectsFrameRate == .automatic ? nil : encoding.effectsFrameRate
    }
}

// MARK: - Declarations of settings

extension SettingKey {
    static let encoding: [SettingKey] = [
        SettingKey(
            "encoding.smart-render", \.encoding.smartRender, .choice(of: SmartRender.self),
            option: "--smart-render when",
            "Encode only segments with effects, and copy the rest: auto (where possible), always (or fail) or never."
        ),
        SettingKey(
            "encoding.codec", \.encoding.codec, .choice(of: EncodingOptions.Codec.self), option: "--codec codec",
            "The video codec (default in .webm, which does not support h264: vp9)."),
        SettingKey(
            "encoding.crf", \.encoding.crf, .number(0...63), option: "--crf n",
            "The constant rate factor; lower values mean better quality."
        ).with(.excludes("encoding.bitrate"), .atMost(51, for: [.h264, .hevc]), .isCodecsOwn),
        SettingKey(
            "encoding.bitrate", \.encoding.bitrate, .bitRate, option: "--bitrate rate",
            "The bit rate in bits per second, such as 2500k or 2.5M: constant for h264, an average for other codecs."),
        SettingKey(
            "encoding.max-bitrate", \.encoding.maxBitrate, .bitRate, option: "--max-bitrate rate",
            "The maximum bit rate while effects run (default: \(EncodingOptions.defaultRaise) times bitrate)."
        ).with(.needs("encoding.bitrate"), .notBelow("encoding.bitrate")),
        SettingKey(
            "encoding.max-frame-qp", \.encoding.maxFrameQP, .integer(1...51), option: "--max-frame-qp n",
            "The maximum quantiser of any frame; frames are dropped if the bit rate does not allow it."
        ).with(
            .needs("encoding.bitrate", remedy: "for constant quality, use a lower crf"), .codecs([.h264])),
        SettingKey(
            "encoding.max-frame-qp-effects", \.encoding.maxFrameQPDuringEffects, .integer(1...51),
            option: "--max-frame-qp-effects n",
            "The maximum quantiser while effects run (default: max-frame-qp)."
        ).with(.needs("encoding.max-frame-qp"), .notBelow("encoding.max-frame-qp")),
        SettingKey(
            "encoding.effect-bits", \.encoding.effectBits, .number(1...1000), option: "--effect-bits n",
            "The maximum bit rate of an effect, as a multiple of that of the frames before it."
        ).with(.excludes("encoding.bitrate")),
        SettingKey(
            "encoding.effects-fps", \.encoding.effectsFrameRate, .numberOrAuto(1...1000),
            option: SettingOption("--effects-fps n", suggestions: ["auto", "24", "25", "30"]),
            "The maximum frame rate while effects run; remaining frames keep their time stamps; auto halves rates above 45."
        ),
        SettingKey(
            "encoding.effect-detail", \.encoding.effectDetail, .numberOrAuto(0.1...1), absent: .text("auto"),
            option: "--effect-detail share",
            "The share of the effects' particles that is drawn; auto (h264 only) draws fewer if the bit rate is too low for all."
        ),
        SettingKey(
            "encoding.protect-face", \.encoding.protectsFaces, .flag, option: "--protect-face, --no-protect-face",
            "Encode faces at higher quality than the rest of the picture while effects run."
        ).with(.codecs([.h264, .hevc])),
        SettingKey(
            "encoding.preset", \.encoding.preset,
            .text(what: "the name of a preset, quoted", example: "veryfast"),
            // Those of x264 and x265; presets of the other encoders are numbers.
            option: SettingOption(
                "--preset name",
                suggestions: [
                    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow",
                    "placebo",
                ]),
            "The encoder's preset: ultrafast … placebo for h264 and hevc, 0 … 13 for av1, 0 … 8 for vp9."
        ).with(.isCodecsOwn, .isPreset),
        SettingKey(
            "encoding.pixel-format", \.encoding.pixelFormat,
            .text(what: "FFmpeg's name of a pixel format", example: "yuv420p"),
            option: SettingOption("--pixel-format name", suggestions: EncodingOptions.usualPixelFormats),
            "The pixel format by FFmpeg's name, such as yuv420p10le (default: the input's)."
        ).with(.isPixelFormat),
    ]
}
