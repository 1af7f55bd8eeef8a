import ArgumentParser
import Flourish

/// What the program says while it works.
struct MessageOptions: SettingArguments {
    @Option(setting: "output.progress")
    var progress: ProgressStyle?

    @Flag(setting: "output.quiet")
    var quiet: Bool?

    @Option(setting: "output.log-level")
    var logLevel: LogLevel?

    @Flag(help: "Name the input in every line, as is done where there are several.")
    var logPrefix = false

    /// Names the inputs in what is said, if that is asked for or there are several.
    func name(_ inputs: String...) { name(inputs) }

    /// The same; of several the first until another's turn comes.
    func name(_ inputs: [String]) {
        if logPrefix || inputs.count > 1 { Console.subject = inputs.first }
    }

    var values: KeyValuePairs<String, SettingValue?> {
        [
            "output.progress": progress.map { .named($0) }, "output.log-level": logLevel.map { .named($0) },
            "output.quiet": quiet.map { .flag($0) },
        ]
    }
}
