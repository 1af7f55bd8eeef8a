import ArgumentParser
import Flourish

/// The options that describe an input whose content does not describe itself, such as raw video, and those that limit
/// an input.
struct InputFormatOptions: SettingArguments {
    @Option(
        help: ArgumentHelp(
            "The input's container: nut, matroska, mpegts, yuv4mpegpipe, rawvideo …; detected by default.",
            valueName: "name"), completion: .inputFormats)
    var inputFormat: String?

    @Option(help: ArgumentHelp("The picture size of raw video, or the one requested from a camera.", valueName: "WxH"))
    var videoSize: String?

    @Option(
        help: ArgumentHelp("The pixel format of raw video or of a camera.", valueName: "name"),
        completion: .pixelFormats)
    var inputPixelFormat: String?

    @Option(help: ArgumentHelp("The frame rate of raw video or of a camera.", valueName: "n"))
    var framerate: String?

    @OptionGroup var limits: SettingOptions<InputGroup>

    var values: [(name: String, value: SettingValue?)] { limits.values }

    func apply(to configuration: inout Configuration) {
        configuration.input.format = inputFormat
        configuration.input.videoSize = videoSize
        configuration.input.pixelFormat = inputPixelFormat
        configuration.input.frameRate = framerate
    }
}

/// The settings of the input.
enum InputGroup: SettingGroup { static let settings = SettingKey.options(of: "input") }

/// The option that allows decoders. Commands that read recordings with settings of their own have it alone.
typealias DecoderOptions = SettingOptions<DecoderGroup>

enum DecoderGroup: SettingGroup { static let settings = [SettingKey.declared("input.decoders")] }

/// The options that select an interval of the recording.
struct TrimOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Start at this time of the recording; the output starts at 0.",
            valueName: "time"))
    var start: TimeArgument?

    @Option(parsing: .unconditional, help: ArgumentHelp("Stop at this time of the recording.", valueName: "time"))
    var end: TimeArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The duration to process, from --start.", valueName: "time", visibility: .advanced))
    var duration: TimeArgument?

    func validate() throws {
        if end != nil && duration != nil { throw ValidationError("--end and --duration cannot be combined; use one") }
    }

    /// The options, each with true if it is given.
    var given: [(String, Bool)] {
        [("--start", start != nil), ("--end", end != nil), ("--duration", duration != nil)]
    }

    func apply(to configuration: inout Configuration) {
        if let start { configuration.input.start = start.seconds }
        if let end { configuration.input.end = end.seconds }
        if let duration { configuration.input.end = configuration.input.start + duration.seconds }
    }
}
