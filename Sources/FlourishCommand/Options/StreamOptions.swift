import ArgumentParser
import Flourish

/// How the output is handed on.
struct StreamOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The output's container: nut, matroska, mpegts, yuv4mpegpipe, rawvideo, flv, mp4 …; by default what its name says, and nut for -.",
            valueName: "name"))
    var outputFormat: String?

    func apply(to configuration: inout Configuration) {
        configuration.outputFormat = outputFormat
    }
}
