import ArgumentParser
import Flourish

/// What of a recording is taken.
struct StretchOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Take the recording from here on; the output begins there at 0.",
            valueName: "time"))
    var start: TimeArgument?

    @Option(parsing: .unconditional, help: ArgumentHelp("Take the recording up to here.", valueName: "time"))
    var end: TimeArgument?

    @Option(parsing: .unconditional, help: ArgumentHelp("Take so much of it, from --start on.", valueName: "time"))
    var duration: TimeArgument?

    func validate() throws {
        if end != nil && duration != nil { throw ValidationError("--end and --duration exclude each other; give one") }
    }

    /// The options, and whether each was given.
    var given: [(String, Bool)] {
        [("--start", start != nil), ("--end", end != nil), ("--duration", duration != nil)]
    }

    func apply(to configuration: inout Configuration) {
        if let start { configuration.input.start = start.seconds }
        if let end { configuration.input.end = end.seconds }
        if let duration { configuration.input.end = configuration.input.start + duration.seconds }
    }
}
