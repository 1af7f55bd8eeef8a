import ArgumentParser

/// What the program says while it works.
struct MessageOptions: ParsableArguments {
    @Option(help: "Progress: auto (a line on a terminal), json or none.")
    var progress = ProgressStyle.auto

    @Flag(name: [.long, .customShort("q")], help: "Say nothing but errors.")
    var quiet = false

    @Option(help: "What is said on the standard error: error, warning, info or debug.")
    var logLevel = LogLevel.warning

    /// The level that holds.
    var level: LogLevel { quiet ? .error : logLevel }
}
