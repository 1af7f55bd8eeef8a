import ArgumentParser
import Flourish

/// The options that choose how any video is encoded.
struct EncoderOptions: SettingArguments {
    @Option(setting: "encoding.codec")
    var codec: EncodingOptions.Codec?

    @Option(setting: "encoding.crf")
    var crf: Double?

    @Option(setting: "encoding.preset", completion: .list(Choices.presets))
    var preset: String?

    @Option(setting: "encoding.pixel-format", completion: .list(Choices.pixelFormats))
    var pixelFormat: String?

    var values: KeyValuePairs<String, SettingValue?> {
        [
            "encoding.codec": codec.map { .named($0) }, "encoding.crf": crf.map { .number($0) },
            "encoding.preset": preset.map { .text($0) }, "encoding.pixel-format": pixelFormat.map { .text($0) },
        ]
    }
}

/// The options that choose what is encoded, and how many bits it may take.
struct RateOptions: SettingArguments {
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

    var values: KeyValuePairs<String, SettingValue?> {
        [
            "encoding.smart-render": smartRender.map { .named($0) },
            "encoding.bitrate": bitrate.map { .text($0) },
            "encoding.max-bitrate": maxBitrate.map { .text($0) },
            "encoding.max-frame-qp": maxFrameQP.map { .integer($0) },
            "encoding.max-frame-qp-effects": maxFrameQPDuringEffects.map { .integer($0) },
            "encoding.effect-bits": effectBits.map { .number($0) },
            "encoding.protect-face": protectFace.map { .flag($0) },
        ]
    }
}

/// The options that choose how much of effects is drawn.
struct EffectShareOptions: SettingArguments {
    @Option(setting: "encoding.effects-fps", completion: .list(["auto", "24", "25", "30"]))
    var effectsFrameRate: String?

    @Option(setting: "encoding.effect-detail", completion: .list(["auto"]))
    var effectDetail: String?

    var values: KeyValuePairs<String, SettingValue?> {
        [
            "encoding.effects-fps": effectsFrameRate.map { .numberOrWord($0) },
            "encoding.effect-detail": effectDetail.map { .numberOrWord($0) },
        ]
    }
}

/// Refuses options that would do nothing: those that say how pictures are coded, where an output holds them as they are.
enum CodingCheck {
    /// Options of the encoder that mean something to such an output, too.
    private static let exceptions: Set = ["--pixel-format", "--smart-render"]

    /// - Parameters:
    ///   - given: options of the encoder, and whether each was given.
    ///   - format: the name of the output's container, where that does not follow from its path.
    static func check(_ given: [(String, Bool)], for output: String, format: String? = nil) throws(FlourishError) {
        guard let container = Settings.uncompressedContainer(of: output, format: format),
            let option = given.first(where: { $0.1 && !exceptions.contains($0.0) })?.0
        else { return }
        throw FlourishError(
            .usage, "\(output): \(container) holds pictures as they are, not coded; leave \(option) out")
    }
}
