import ArgumentParser
import Flourish

/// What is told beside the picture.
struct MetadataOptions: ParsableArguments {
    @Flag(help: "Write into the H.264 or HEVC video which effects are in progress; flourish watch reads it.")
    var embedMetadata = false

    @Option(
        help: ArgumentHelp(
            "Write there, as WebVTT metadata cues, which effects are in progress.", valueName: "file.vtt"),
        completion: .file(extensions: ["vtt"]))
    var sidecar: String?

    func apply(to configuration: inout Configuration) {
        configuration.embedsMetadata = embedMetadata
    }
}
