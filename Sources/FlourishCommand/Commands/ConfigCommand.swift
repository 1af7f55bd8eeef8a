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

/// The output of `flourish config --json`.
private struct SettingsReport: Encodable {
    struct File: Encodable {
        var path: String
        /// `user` or `system`
        var kind: String
        var wasRead: Bool
    }

    struct Row: Encodable {
        var key: String
        var value: SettingValue?
        /// `builtIn`, `systemFile` or `userFile`
        var source: SettingOrigin.Place.RawValue
        var file: String?
        var line: Int?
        /// The path of the file that locks the setting.
        var lockedBy: String?
        var option: String?
        var documentation: String

        private enum CodingKeys: CodingKey {
            case key, value, source, file, line, lockedBy, option, documentation
        }

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: CodingKeys.self)
            try fields.encode(key, forKey: .key)
            // A setting without a value is null, so every row has the key.
            try fields.encode(value, forKey: .value)
            try fields.encode(source, forKey: .source)
            try fields.encodeIfPresent(file, forKey: .file)
            try fields.encodeIfPresent(line, forKey: .line)
            try fields.encodeIfPresent(lockedBy, forKey: .lockedBy)
            try fields.encodeIfPresent(option, forKey: .option)
            try fields.encode(documentation, forKey: .documentation)
        }
    }

    var files: [File]
    var settings: [Row]
    var warnings: [String]

    init(_ settings: Settings, _ places: SettingsPlaces) {
        files = places.systemFiles.map {
            File(path: $0, kind: "system", wasRead: settings.files.contains($0))
        }
        if let path = places.userFile {
            files.append(File(path: path, kind: "user", wasRead: settings.files.contains(path)))
        }
        self.settings = settings.entries.map {
            Row(
                key: $0.key.name, value: $0.value, source: $0.origin.place.rawValue,
                file: $0.origin.name, line: $0.origin.line, lockedBy: $0.lockedBy, option: $0.key.option,
                documentation: $0.key.documentation)
        }
        warnings = settings.warnings
    }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// Returns the settings in columns: key, value, origin.
    static func table(_ settings: Settings) -> String {
        let rows = settings.entries.map { entry in
            let lock = entry.lockedBy.map { ", locked by \($0)" } ?? ""
            return (entry.key.name, entry.value?.toml ?? "-", entry.origin.text + lock)
        }
        let first = rows.map(\.0.count).max() ?? 0
        let second = min(rows.map(\.1.count).max() ?? 0, 32)
        return rows.map { pad($0.0, first) + "  " + pad($0.1, second) + "  " + $0.2 }
            .joined(separator: "\n")
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
