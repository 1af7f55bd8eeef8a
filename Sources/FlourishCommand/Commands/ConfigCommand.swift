import ArgumentParser
import Flourish
import FoundationEssentials

/// The command `flourish config`, with subcommands that print or check settings files, and change nothing.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the effective settings and the origin of each.",
        discussion: """
            Options override the user's file, which overrides the system's file, which overrides the defaults. \
            The system's file can lock settings, so that nothing overrides them.

            EXAMPLES
              flourish config
              flourish config --json | jq '.settings[] | select(.source != "builtIn")'
              mkdir -p ~/.config/flourish; flourish config example > "$(flourish config path)"
              flourish config check
            """,
        subcommands: [Show.self, Path.self, Check.self, Example.self], defaultSubcommand: Show.self)

    /// The command `flourish config show`, which is also the default of `flourish config`. Prints the settings and
    /// their origins.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the effective settings (the default).")

        @Flag(help: "Print JSON: the files, and an object for each setting.")
        var json = false

        @OptionGroup var files: SettingsOptions

        func run() async throws {
            try await Console.reportingErrors {
                let settings = try files.load()
                _ = try settings.configuration()
                StandardOutput.print(
                    json ? try SettingsReport(settings, files.places).json : SettingsReport.table(settings))
            }
        }
    }

    /// The command `flourish config path`. Prints the path of the user's file.
    struct Path: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path", abstract: "Print the path of the user's file, whether it exists or not.")

        func run() async throws {
            try await Console.reportingErrors {
                guard let path = SettingsPlaces.located().userFile else {
                    throw FlourishError(
                        .inputUnavailable, "the path of the configuration file is unknown; set HOME or XDG_CONFIG_HOME")
                }
                StandardOutput.print(path)
            }
        }
    }

    /// The command `flourish config check`. Prints the errors of settings files.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Report all errors in a configuration file, by default in all files that are read.",
            discussion: "The exit code is 64 if there is an error.")

        @Argument(help: "The file to check.", completion: .file(extensions: ["toml"]))
        var file: String?

        func run() async throws {
            try await Console.reportingErrors {
                var isGood = true
                for path in try paths() {
                    let faults = try Settings.faults(inFile: path)
                    for fault in faults { Console.error(fault) }
                    if faults.isEmpty { StandardOutput.print("\(path.printable): no errors") }
                    isGood = isGood && faults.isEmpty
                }
                if !isGood { throw ExitStatus.code(for: .usage) }
            }
        }

        private func paths() throws(FlourishError) -> [String] {
            if let file { return [file] }
            let places = SettingsPlaces.located()
            let paths = (places.systemFiles + [places.userFile].compactMap(\.self))
                .filter { FileManager.default.fileExists(atPath: $0) }
            if paths.isEmpty { StandardOutput.print("no configuration files; the defaults apply") }
            return paths
        }
    }

    /// The command `flourish config example`. Prints a settings file.
    struct Example: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "example",
            abstract: "Print a configuration file with all settings, documented and commented out.")

        func run() { StandardOutput.print(Settings.example, ending: "") }
    }
}
