import Flourish
import FoundationEssentials

/// `flourish config --json`
struct SettingsReport: Encodable {
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
        /// The file that locks it.
        var lockedBy: String?
        var option: String?
        var documentation: String

        private enum CodingKeys: CodingKey {
            case key, value, source, file, line, lockedBy, option, documentation
        }

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: CodingKeys.self)
            try fields.encode(key, forKey: .key)
            // What is not chosen is null, so that every row has a value.
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

    /// The settings in columns: key, value, origin.
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
