import ArgumentParser
import Flourish

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
