import ArgumentParser
import Flourish

/// The options that choose what is encoded, and what effects may cost.
struct RateOptions: ParsableArguments {
    @Option(help: .setting("encoding.smart-render"))
    var smartRender: SmartRender?

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
        help: .setting("encoding.effects-fps", valueName: "n"),
        completion: .list(["auto", "24", "25", "30"]))
    var effectsFrameRate: String?

    @Option(
        parsing: .unconditional, help: .setting("encoding.effect-detail", valueName: "share"),
        completion: .list(["auto"]))
    var effectDetail: String?

    @Flag(inversion: .prefixedNo, help: .setting("encoding.protect-face"))
    var protectFace: Bool?

    /// The options that aim at bits or quality, and whether each was given.
    var givenAims: [(String, Bool)] {
        [
            ("--smart-render", smartRender != nil), ("--bitrate", bitrate != nil), ("--max-bitrate", maxBitrate != nil),
            ("--max-frame-qp", maxFrameQP != nil), ("--max-frame-qp-effects", maxFrameQPDuringEffects != nil),
            ("--effect-bits", effectBits != nil), ("--protect-face", protectFace == true),
        ]
    }

    func apply(to settings: inout Settings) throws(FlourishError) {
        try settings.set("encoding.smart-render", smartRender.map { .text($0.rawValue) })
        try settings.set("encoding.bitrate", bitrate.map { .text($0) })
        try settings.set("encoding.max-bitrate", maxBitrate.map { .text($0) })
        try settings.set("encoding.max-frame-qp", maxFrameQP.map { .integer($0) })
        try settings.set("encoding.max-frame-qp-effects", maxFrameQPDuringEffects.map { .integer($0) })
        try settings.set("encoding.effect-bits", effectBits.map { .number($0) })
        try settings.set("encoding.effects-fps", effectsFrameRate.map { .numberOrWord($0) })
        try settings.set("encoding.effect-detail", effectDetail.map { .numberOrWord($0) })
        try settings.set("encoding.protect-face", protectFace.map { .flag($0) })
    }
}

extension SettingValue {
    /// A number, or else a word such as `auto`.
    fileprivate static func numberOrWord(_ text: String) -> SettingValue {
        Double(text).map { .number($0) } ?? .text(text)
    }
}
