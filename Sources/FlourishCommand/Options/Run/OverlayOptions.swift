import ArgumentParser
import Flourish

/// Whether effects are written without the video.
struct OverlayOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Write the effects alone, transparent elsewhere: VP9 in .webm, ProRes 4444 in .mov, FFV1 in .mkv, PNG pictures for effects-%05d.png, RGBA in a pipe (NUT, or --output-format rawvideo)."
        ))
    var overlay = false

    /// - Parameter idle: options that mean nothing to an overlay, and whether each was given.
    func apply(to configuration: inout Configuration, idle: [(String, Bool)]) throws(FlourishError) {
        guard overlay else { return }
        if let option = idle.first(where: \.1)?.0 {
            throw FlourishError(
                .usage, "\(option) and --overlay exclude each other: the output's name says how an overlay is coded")
        }
        configuration.writesOverlay = true
    }
}
