import ArgumentParser
import Flourish

/// What the input is, where its own words do not say.
struct InputFormatOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The input's container: nut, matroska, mpegts, yuv4mpegpipe, rawvideo …; recognised by default.",
            valueName: "name"), completion: .list(Choices.inputFormats))
    var inputFormat: String?

    @Option(help: ArgumentHelp("The size of raw video, or what is asked of a camera.", valueName: "WxH"))
    var videoSize: String?

    @Option(
        help: ArgumentHelp("The pixel format of raw video or of a camera.", valueName: "name"),
        completion: .list(Choices.pixelFormats))
    var inputPixelFormat: String?

    @Option(help: ArgumentHelp("Frames a second of raw video or of a camera.", valueName: "n"))
    var framerate: String?

    @Option(parsing: .unconditional, help: .setting("input.max-pixels", valueName: "n"))
    var maxPixels: Int?

    @Option(parsing: .unconditional, help: .setting("input.timeout", valueName: "s"))
    var inputTimeout: TimeArgument?

    @Option(parsing: .unconditional, help: .setting("input.stall", valueName: "s"))
    var inputStall: TimeArgument?

    @Option(parsing: .unconditional, help: .setting("input.reconnect", valueName: "n"))
    var inputReconnect: Int?

    func apply(to settings: inout Settings) throws(FlourishError) {
        try settings.set("input.max-pixels", maxPixels.map { .integer($0) })
        try settings.set("input.timeout", inputTimeout.map { .number($0.seconds) })
        try settings.set("input.stall", inputStall.map { .number($0.seconds) })
        try settings.set("input.reconnect", inputReconnect.map { .integer($0) })
    }

    func apply(to configuration: inout Configuration) {
        configuration.input.format = inputFormat
        configuration.input.videoSize = videoSize
        configuration.input.pixelFormat = inputPixelFormat
        configuration.input.frameRate = framerate
    }
}
