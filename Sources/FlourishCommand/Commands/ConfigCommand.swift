import ArgumentParser
import Flourish
import FoundationEssentials

/// `flourish config`
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the settings that hold, and where each comes from.",
        discussion: """
            A setting comes from an option, else from the user's file, else from the system's file, and \
            else it is built in. The system's file can lock settings, so that nothing changes them.

            EXAMPLES
              flourish config
              flourish config --json | jq '.settings[] | select(.source != "builtIn")'
              mkdir -p ~/.config/flourish; flourish config example > "$(flourish config path)"
              flourish config check
            """,
        subcommands: [Show.self, Path.self, Check.self, Example.self], defaultSubcommand: Show.self)

    /// `flourish config`, and `flourish config show`
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the settings that hold (the default).")

        @Flag(help: "Print JSON: the files, and an object for each setting.")
        var json = false

        @OptionGroup var files: SettingsOptions

        func run() async throws {
            try await Console.reportingErrors {
                let settings = try files.load { _ in }
                _ = try settings.configuration()
                StandardOutput.print(
                    json ? try SettingsReport(settings, files.places).json : SettingsReport.table(settings))
            }
        }
    }

    /// `flourish config path`
    struct Path: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path", abstract: "Print the path of the user's file, whether it is there or not.")

        func run() async throws {
            try await Console.reportingErrors {
                guard let path = SettingsPlaces.located().userFile else {
                    throw FlourishError(
                        .inputUnavailable, "there is no place for a configuration file; set HOME or XDG_CONFIG_HOME")
                }
                StandardOutput.print(path)
            }
        }
    }

    /// `flourish config check`
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Show everything that is wrong with a file, by default with all that are read.",
            discussion: "The exit code is 64 if something is wrong.")

        @Argument(help: "The file to check.", completion: .file(extensions: ["toml"]))
        var file: String?

        func run() async throws {
            try await Console.reportingErrors {
                var isGood = true
                for path in try paths() {
                    let faults = try Settings.faults(inFile: path)
                    for fault in faults { Console.error(fault) }
                    if faults.isEmpty { StandardOutput.print("\(path.printable): all is well") }
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
            if paths.isEmpty { StandardOutput.print("there are no configuration files; what is built in holds") }
            return paths
        }
    }

    /// `flourish config example`
    struct Example: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "example", abstract: "Print a file with every setting, explained and commented out.")

        func run() { StandardOutput.print(Settings.example, ending: "") }
    }
}
