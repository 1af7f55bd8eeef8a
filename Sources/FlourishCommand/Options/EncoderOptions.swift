import ArgumentParser
import Flourish

/// The options that choose how the video is encoded.
struct EncoderOptions: ParsableArguments {
    @Option(help: .setting("encoding.smart-render"))
    var smartRender: SmartRender?

    @Option(help: .setting("encoding.codec"))
    var codec: EncodingOptions.Codec?

    @Option(parsing: .unconditional, help: .setting("encoding.crf", valueName: "n"))
    var crf: Double?

    @Option(help: .setting("encoding.bitrate", valueName: "rate"))
    var bitrate: String?

    @Option(help: .setting("encoding.max-bitrate", valueName: "rate"))
    var maxBitrate: String?

    @Option(
        name: .customLong("max-frame-qp"), parsing: .unconditional,
        help: .setting("encoding.max-frame-qp", valueName: "n"))
    var maxFrameQP: Int?

    @Option(
        name: .customLong("max-frame-qp-effects"), parsing: .unconditional,
        help: .setting("encoding.max-frame-qp-effects", valueName: "n"))
    var maxFrameQPDuringEffects: Int?

    @Option(parsing: .unconditional, help: .setting("encoding.effect-bits", valueName: "n"))
    var effectBits: Double?

    @Option(
        name: .customLong("effects-fps"), parsing: .unconditional,
        help: .setting("encoding.effects-fps", valueName: "n"))
    var effectsFrameRate: String?

    @Option(parsing: .unconditional, help: .setting("encoding.effect-detail", valueName: "share"))
    var effectDetail: String?

    @Flag(inversion: .prefixedNo, help: .setting("encoding.protect-face"))
    var protectFace: Bool?

    @Option(help: .setting("encoding.preset", valueName: "name"))
    var preset: String?

    @Option(help: .setting("encoding.pixel-format", valueName: "name"))
    var pixelFormat: String?

    func apply(to settings: inout Settings) throws(FlourishError) {
        try settings.set("encoding.smart-render", smartRender.map { .text($0.rawValue) })
        try settings.set("encoding.codec", codec.map { .text($0.rawValue) })
        try settings.set("encoding.crf", crf.map { .number($0) })
        try settings.set("encoding.bitrate", bitrate.map { .text($0) })
        try settings.set("encoding.max-bitrate", maxBitrate.map { .text($0) })
        try settings.set("encoding.max-frame-qp", maxFrameQP.map { .integer($0) })
        try settings.set("encoding.max-frame-qp-effects", maxFrameQPDuringEffects.map { .integer($0) })
        try settings.set("encoding.effect-bits", effectBits.map { .number($0) })
        try settings.set("encoding.effects-fps", effectsFrameRate.map { .numberOrWord($0) })
        try settings.set("encoding.effect-detail", effectDetail.map { .numberOrWord($0) })
        try settings.set("encoding.protect-face", protectFace.map { .flag($0) })
        try settings.set("encoding.preset", preset.map { .text($0) })
        try settings.set("encoding.pixel-format", pixelFormat.map { .text($0) })
    }
}

extension SettingValue {
    /// A number, or else a word such as `auto`.
    fileprivate static func numberOrWord(_ text: String) -> SettingValue {
        Double(text).map { .number($0) } ?? .text(text)
    }
}
