import ArgumentParser
import Flourish
import FoundationEssentials

/// The command `flourish config`. Prints or checks settings files, and changes nothing.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the effective settings and the origin of each.",
        discussion: """
            Options override the user's file, which overrides the system's file, which overrides the defaults. \
            The system's file can lock settings, so that nothing overrides them.

            EXAMPLES
              flourish config
              flourish config --json | jq '.settings[] | select(.source != "builtIn")'
              mkdir -p ~/.config/flourish; flourish config --example > "$(flourish config --path)"
              flourish config --check
            """)

    /// The output, if it is not the table of settings.
    enum Output: EnumerableFlag {
        case json, path, check, example

        static func help(for output: Output) -> ArgumentHelp? {
            switch output {
            case .json: "Print JSON: the files, and an object for each setting."
            case .path: "Print the path of the user's file, whether it exists or not."
            case .check:
                "Report all errors in the configuration files, or in that of --config; with an error, exit with 64."
            case .example: "Print a configuration file with all settings, documented and commented out."
            }
        }
    }

    @Flag var output: Output?

    @OptionGroup var files: SettingsOptions

    func run() async throws {
        switch output {
        case .path: try printPath()
        case .check: try check()
        case .example: StandardOutput.print(Settings.example, ending: "")
        case .json, nil:
            let settings = try files.load()
            _ = try settings.configuration()
            if output == .json {
                try StandardOutput.print(json: SettingsReport(settings, files.places))
            } else {
                StandardOutput.print(columns: Self.table(settings)) { $0 == 1 ? min($1, 32) : $1 }
            }
        }
    }

    private func printPath() throws(FlourishError) {
        guard let path = SettingsPlaces.located().userFile else {
            throw FlourishError(
                .inputUnavailable, "the path of the configuration file is unknown; set HOME or XDG_CONFIG_HOME")
        }
        StandardOutput.print(path)
    }

    /// Prints the errors of the files.
    private func check() throws {
        var isGood = true
        for path in pathsToCheck() {
            let faults = try Settings.faults(inFile: path)
            for fault in faults { Console.error(fault) }
            if faults.isEmpty { StandardOutput.print("\(path.printable): no errors") }
            isGood = isGood && faults.isEmpty
        }
        if !isGood { throw ExitStatus.code(for: .usage) }
    }

    private func pathsToCheck() -> [String] {
        if let file = files.config { return [file] }
        let paths = (files.places.systemFiles + [files.places.userFile].compactMap(\.self))
            .filter { FileManager.default.fileExists(atPath: $0) }
        if paths.isEmpty { StandardOutput.print("no configuration files; the defaults apply") }
        return paths
    }

    /// Returns the settings in columns: key, value, origin.
    private static func table(_ settings: Settings) -> [[String]] {
        settings.entries.map { entry in
            let lock = entry.lockedBy.map { ", locked by \($0)" } ?? ""
            return [entry.key.name, entry.value?.toml ?? "-", entry.origin.text + lock]
        }
    }
}
