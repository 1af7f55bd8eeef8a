import ArgumentParser
import Flourish

/// The option that replaces existing outputs.
typealias OutputOptions = SettingOptions<OverwriteGroup>

enum OverwriteGroup: SettingGroup { static let settings = [SettingKey.declared("output.overwrite")] }

extension OutputOptions {
    /// True if the option is given.
    var replaces: Bool { values.contains { $0.value == .flag(true) } }
}

/// The option that writes chapters.
typealias ChapterOptions = SettingOptions<ChapterGroup>

enum ChapterGroup: SettingGroup { static let settings = [SettingKey.declared("output.chapters")] }

/// The options that choose how a run writes its output.
struct RunOutputOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Embed the effects in progress in the H.264 or HEVC video; flourish control watch prints them.",
            visibility: .advanced))
    var embedMetadata = false

    @Option(
        help: ArgumentHelp(
            "Write the effects in progress as WebVTT metadata cues to this file.", valueName: "file.vtt",
            visibility: .advanced),
        completion: .file(extensions: ["vtt"]))
    var sidecar: String?

    @Option(
        help: ArgumentHelp(
            "The output's container: nut, matroska, mpegts, yuv4mpegpipe, rawvideo, flv, mp4 …; by default that of its extension, and nut for -.",
            valueName: "name", visibility: .advanced), completion: .outputFormats)
    var outputFormat: String?

    @Flag(
        help: ArgumentHelp(
            "Write the output of an interrupted run to out.mp4, instead of out.partial.mp4.", visibility: .advanced))
    var keepPartial = false

    @OptionGroup var outputs: OutputOptions

    @OptionGroup var marks: ChapterOptions

    @Flag(
        help: ArgumentHelp(
            "Write only the effects, on a transparent background: VP9 in .webm, ProRes 4444 in .mov, FFV1 in .mkv, PNG images for effects-%05d.png, RGBA in a pipe (NUT, or --output-format rawvideo).",
            visibility: .advanced))
    var overlay = false

    /// - Parameter coding: The options that have no effect on an overlay, each with true if it is given.
    func apply(to configuration: inout Configuration, coding: [(String, Bool)]) throws(FlourishError) {
        configuration.embedsMetadata = embedMetadata
        configuration.outputFormat = outputFormat
        configuration.keepsPartialOutput = keepPartial
        guard overlay else { return }
        if let option = coding.first(where: \.1)?.0 {
            throw FlourishError(
                .usage,
                "\(option) and --overlay cannot be combined: the output's extension selects the codec of an overlay")
        }
        configuration.writesOverlay = true
    }
}

// The containers that shells offer. FFmpeg supports more.
extension CompletionKind {
    static var inputFormats: CompletionKind { .list(Settings.streamFormats) }

    static var outputFormats: CompletionKind { .list(Settings.streamFormats) }
}
