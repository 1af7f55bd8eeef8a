import FoundationEssentials

/// The list of all settings: their declarations, values and origins.
///
/// Programs that offer settings read names, ranges, choices and defaults from it.
package struct SettingsReport: Encodable {
    private struct File: Encodable {
        var path: String
        /// `user` or `system`
        var kind: String
        var wasRead: Bool
    }

    private struct Row: Encodable {
        let entry: Settings.Entry

        private enum Key: String, CodingKey {
            case key, value, source, file, line, lockedBy, option, documentation
            case type, minimum, maximum, unit, choices, builtIn = "default", property, forFrames
        }

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: Key.self)
            let key = entry.key, origin = entry.origin
            try fields.encode(key.name, forKey: .key)
            // A setting without a value is null, so every row has the key.
            try fields.encode(entry.value, forKey: .value)
            try fields.encode(origin.place.rawValue, forKey: .source)
            try fields.encodeIfPresent(origin.name, forKey: .file)
            try fields.encodeIfPresent(origin.line, forKey: .line)
            try fields.encodeIfPresent(entry.lockedBy, forKey: .lockedBy)
            try fields.encodeIfPresent(key.option, forKey: .option)
            try fields.encode(key.documentation, forKey: .documentation)
            try fields.encode(key.kind.type.rawValue, forKey: .type)
            try fields.encodeIfPresent(key.kind.range?.lowerBound, forKey: .minimum)
            if let maximum = key.kind.range?.upperBound, maximum < Double(Int.max) {
                try fields.encode(maximum, forKey: .maximum)
            }
            try fields.encodeIfPresent(key.kind.unit, forKey: .unit)
            try fields.encodeIfPresent(key.kind.choices, forKey: .choices)
            try fields.encode(key.builtInValue, forKey: .builtIn)
            try fields.encodeIfPresent(key.liveName, forKey: .property)
            try fields.encode(key.isForHosts, forKey: .forFrames)
        }
    }

    private let files: [File]
    private let settings: [Row]
    private let warnings: [String]

    package init(_ settings: Settings, _ places: SettingsPlaces) {
        let paths =
            places.systemFiles.map { ($0, "system") } + [places.userFile].compactMap(\.self).map { ($0, "user") }
        files = paths.map { File(path: $0, kind: $1, wasRead: settings.files.contains($0)) }
        self.settings = settings.entries.map { Row(entry: $0) }
        warnings = settings.warnings
    }

    package var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// Returns the settings in columns: key, value, origin.
    package static func table(_ settings: Settings) -> String {
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
