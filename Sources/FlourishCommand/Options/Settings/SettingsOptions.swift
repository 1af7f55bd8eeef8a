import ArgumentParser
import Flourish

/// Which configuration files are read.
struct SettingsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A configuration file to read instead of the user's (see: flourish config).", valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var config: String?

    @Flag(help: "Read no configuration file; what the system's file locks still holds.")
    var noConfig = false

    func validate() throws {
        if config != nil && noConfig {
            throw ValidationError("--config and --no-config exclude each other; give one")
        }
    }

    /// The places that the options ask for.
    var places: SettingsPlaces { .located(file: config, ignoresFiles: noConfig) }

    /// What the files say and then the options; warnings are told on the standard error.
    ///
    /// - Parameter apply: puts in what the options say.
    func load(
        _ apply: (inout Settings) throws(FlourishError) -> Void
    ) throws(FlourishError) -> Settings {
        var settings = try Settings.load(from: places)
        try apply(&settings)
        if Messages(settings).level >= .warning {
            for warning in settings.warnings { Console.warn(warning) }
        }
        return settings
    }
}
