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
