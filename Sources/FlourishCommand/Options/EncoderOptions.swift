import ArgumentParser
import Flourish

/// The options that choose how any video is encoded.
struct EncoderOptions: ParsableArguments {
    @Option(help: .setting("encoding.codec"))
    var codec: EncodingOptions.Codec?

    @Option(parsing: .unconditional, help: .setting("encoding.crf", valueName: "n"))
    var crf: Double?

    @Option(help: .setting("encoding.preset", valueName: "name"), completion: .list(Choices.presets))
    var preset: String?

    @Option(help: .setting("encoding.pixel-format", valueName: "name"), completion: .list(Choices.pixelFormats))
    var pixelFormat: String?

    /// The options, and whether each was given.
    var given: [(String, Bool)] {
        [
            ("--codec", codec != nil), ("--crf", crf != nil), ("--preset", preset != nil),
            ("--pixel-format", pixelFormat != nil),
        ]
    }

    func apply(to settings: inout Settings) throws(FlourishError) {
        try settings.set("encoding.codec", codec.map { .text($0.rawValue) })
        try settings.set("encoding.crf", crf.map { .number($0) })
        try settings.set("encoding.preset", preset.map { .text($0) })
        try settings.set("encoding.pixel-format", pixelFormat.map { .text($0) })
    }
}
