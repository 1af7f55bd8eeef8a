import ArgumentParser
import Flourish

/// The options that choose how any video is encoded.
struct EncoderOptions: SettingArguments {
    @Option(setting: "encoding.codec")
    var codec: EncodingOptions.Codec?

    @Option(setting: "encoding.crf")
    var crf: Double?

    @Option(setting: "encoding.preset", completion: .encoderPresets)
    var preset: String?

    @Option(setting: "encoding.pixel-format", completion: .pixelFormats)
    var pixelFormat: String?

    var values: [(name: String, value: SettingValue?)] {
        [
            ("encoding.codec", codec.map { .named($0) }), ("encoding.crf", crf.map { .number($0) }),
            ("encoding.preset", preset.map { .text($0) }), ("encoding.pixel-format", pixelFormat.map { .text($0) }),
        ]
    }

    /// Refuses options that have no effect on an output of uncompressed pictures.
    ///
    /// - Parameters:
    ///   - coding: Options of the encoder, each with a Boolean value that indicates whether it is given.
    ///   - format: The name of the output's container; `nil` if it follows from the path.
    static func refuse(_ coding: [(String, Bool)], for output: String, format: String? = nil) throws(FlourishError) {
        guard let container = Settings.uncompressedContainer(of: output, format: format),
            let option = coding.first(where: { $0.1 && !effectiveUncompressed.contains($0.0) })?.0
        else { return }
        throw FlourishError(
            .usage, "\(output): \(container) holds uncompressed video; remove \(option)")
    }

    /// The encoder options that affect uncompressed outputs as well.
    private static let effectiveUncompressed: Set = ["--pixel-format", "--smart-render"]
}

/// The options that choose how the video of a run is encoded: all options of the encoder, the rate, and the share of
/// effects.
struct RunEncoderOptions: SettingArguments {
    @OptionGroup var encoder: EncoderOptions

    @Option(setting: "encoding.smart-render")
    var smartRender: SmartRender?

    @Option(setting: "encoding.bitrate")
    var bitrate: String?

    @Option(setting: "encoding.max-bitrate")
    var maxBitrate: String?

    @Option(setting: "encoding.max-frame-qp")
    var maxFrameQP: Int?

    @Option(setting: "encoding.max-frame-qp-effects")
    var maxFrameQPDuringEffects: Int?

    @Option(setting: "encoding.effect-bits")
    var effectBits: Double?

    @Flag(setting: "encoding.protect-face")
    var protectFace: Bool?

    @Option(setting: "encoding.effects-fps", completion: .list(["auto", "24", "25", "30"]))
    var effectsFrameRate: String?

    @Option(setting: "encoding.effect-detail", completion: .list(["auto"]))
    var effectDetail: String?

    var values: [(name: String, value: SettingValue?)] {
        encoder.values + [
            ("encoding.smart-render", smartRender.map { .named($0) }),
            ("encoding.bitrate", bitrate.map { .text($0) }),
            ("encoding.max-bitrate", maxBitrate.map { .text($0) }),
            ("encoding.max-frame-qp", maxFrameQP.map { .integer($0) }),
            ("encoding.max-frame-qp-effects", maxFrameQPDuringEffects.map { .integer($0) }),
            ("encoding.effect-bits", effectBits.map { .number($0) }),
            ("encoding.protect-face", protectFace.map { .flag($0) }),
            ("encoding.effects-fps", effectsFrameRate.map { .numberOrWord($0) }),
            ("encoding.effect-detail", effectDetail.map { .numberOrWord($0) }),
        ]
    }

    /// The options that have no effect on uncompressed pictures and overlays, each with a Boolean value that indicates
    /// whether it is given. Options that choose how much of an effect is drawn do affect them, and are not listed.
    var coding: [(String, Bool)] { given.filter { !["--effects-fps", "--effect-detail"].contains($0.0) } }
}

// The values that shells offer for options that also accept other values.
extension CompletionKind {
    /// The presets of x264 and x265; presets of the other encoders are numbers.
    static var encoderPresets: CompletionKind {
        .list([
            "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
        ])
    }

    static var pixelFormats: CompletionKind { .list(["yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "nv12"]) }
}
