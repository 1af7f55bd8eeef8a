import ArgumentParser
import Flourish

/// How the output is handed on.
struct StreamOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The output's container: nut, matroska, mpegts, yuv4mpegpipe, rawvideo, flv, mp4 …; by default what its name says, and nut for -.",
            valueName: "name"), completion: .list(Choices.outputFormats))
    var outputFormat: String?

    @Flag(
        help:
            "Give the output of a recording that is stopped before its end its own name all the same, instead of out.partial.mp4 for out.mp4."
    )
    var keepPartial = false

    func apply(to configuration: inout Configuration) {
        configuration.outputFormat = outputFormat
        configuration.keepsPartialOutput = keepPartial
    }
}
