import ArgumentParser
import Flourish

/// The options that choose how the video is encoded.
struct EncoderOptions: ParsableArguments {
    @Option(help: .setting("encoding.codec"))
    var codec: EncodingOptions.Codec?

    @Option(parsing: .unconditional, help: .setting("encoding.crf", valueName: "n"))
    var crf: Double?

    @Option(help: .setting("encoding.bitrate", valueName: "rate"))
    var bitrate: String?

    @Option(help: .setting("encoding.max-bitrate", valueName: "rate"))
    var maxBitrate: String?

    @Option(parsing: .unconditional, help: .setting("encoding.effect-bits", valueName: "n"))
    var effectBits: Double?

    @Option(name: .customLong("effects-fps"), parsing: .unconditional, help: .setting("encoding.effects-fps", valueName: "n"))
    var effectsFrameRate: String?

    @Option(help: .setting("encoding.preset", valueName: "name"))
    var preset: String?

    @Option(help: .setting("encoding.pixel-format", valueName: "name"))
    var pixelFormat: String?

    func apply(to settings: inout Settings) throws(FlourishError) {
        try settings.set("encoding.codec", codec.map { .text($0.rawValue) })
        try settings.set("encoding.crf", crf.map { .number($0) })
        try settings.set("encoding.bitrate", bitrate.map { .text($0) })
        try settings.set("encoding.max-bitrate", maxBitrate.map { .text($0) })
        try settings.set("encoding.effect-bits", effectBits.map { .number($0) })
        try settings.set("encoding.effects-fps", effectsFrameRate.map { rate in Double(rate).map { .number($0) } ?? .text(rate) })
        try settings.set("encoding.preset", preset.map { .text($0) })
        try settings.set("encoding.pixel-format", pixelFormat.map { .text($0) })
    }
}
