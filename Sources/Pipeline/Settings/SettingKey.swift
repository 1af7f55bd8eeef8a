import Platform
package import Reactions

/// The declaration of a setting, which configuration files and options can change.
///
/// Each setting is declared once, beside the property that stores its value. The option, the check of files, the
/// property of a running session, the documentation and the lists of hosts follow from the declaration.
///
/// ```swift
/// for key in SettingKey.all {
///     print(key.name, key.option ?? "(no option)", key.builtInValue?.toml ?? "(no default)")
///     print("   ", key.documentation)
/// }
/// ```
public struct SettingKey: Sendable {
    /// The name with its table: `recognition.hold` is `hold` in the table `[recognition]` of a file.
    public let name: String
    /// The option on the command line; `nil` if there is none.
    package let spelling: SettingOption?
    /// The effect of the setting, in a sentence.
    package let summary: String
    package let kind: SettingKind
    /// The type of the values in a configuration.
    package let type: Any.Type
    /// Returns the value of a configuration; `nil` if it has no value.
    package let read: @Sendable (Configuration) -> SettingValue?
    /// Sets an accepted value in a configuration.
    ///
    /// Throws for a value that names an unusable file.
    package let write: @Sendable (SettingValue?, inout Configuration) throws(FlourishError) -> Void
    /// The relations to other settings.
    package private(set) var rules: [SettingRule] = []
    /// The name of the property that changes the setting while a session runs; `nil` if it cannot change.
    package private(set) var liveName: String?
    /// True if programs that process frames of their own offer the setting to their users.
    package private(set) var isForHosts: Bool

    /// Declares a setting with its own access to a configuration.
    init(
        _ name: String, _ kind: SettingKind, of type: Any.Type, option: SettingOption? = nil, _ summary: String,
        read: @escaping @Sendable (Configuration) -> SettingValue?,
        write: @escaping @Sendable (SettingValue?, inout Configuration) throws(FlourishError) -> Void
    ) {
        (self.name, self.kind, self.type, self.spelling, self.summary) = (name, kind, type, option, summary)
        (self.read, self.write) = (read, write)
        isForHosts = Self.tablesOfFrames.contains(String(name.prefix { $0 != "." }))
    }

    /// The name of the option, such as `--hold`; `nil` if there is none.
    public var option: String? { spelling?.name }
    /// The effect of the setting, and its conditions.
    public var documentation: String { ([summary] + conditions).joined(separator: " ") }
    /// The default; `nil` if there is none.
    public var builtInValue: SettingValue? { read(Configuration()) }
    /// The accepted values, in words: "a number from 0 to 10 s".
    public var expectation: String { kind.expectation + limitsByCodec }

    /// The table of the key: its name without the last part.
    package var table: Substring { name.lastIndex(of: ".").map { name[..<$0] } ?? "" }
    /// The name within the table.
    package var shortName: Substring {
        name[(name.lastIndex(of: ".").map(name.index(after:)) ?? name.startIndex)...]
    }

    /// True for a setting in a table whose names are gestures.
    package var isOfGesture: Bool { table == Self.bindingsTable || table == Self.sensitivitiesTable }

    /// The table of bindings.
    package static let bindingsTable = "bindings"
    /// The table of sensitivities of single gestures.
    package static let sensitivitiesTable = "sensitivity"
    /// The tables of settings that apply to frames; others are for files and encoding.
    package static let tablesOfFrames: Set = ["recognition", sensitivitiesTable, "effects", bindingsTable]
}

// MARK: - Declarations

extension SettingKey {
    typealias Path<Value> = WritableKeyPath<Configuration, Value> & Sendable

    /// Declares a setting whose value is a property of a configuration.
    init<Value: SettingProperty>(
        _ name: String, _ path: any Path<Value>, _ kind: SettingKind, option: SettingOption? = nil, _ summary: String
    ) {
        self.init(
            name, kind, of: Value.self, option: option, summary,
            read: { $0[keyPath: path].settingValue },
            write: { value, configuration throws(FlourishError) in
                guard let value, let property = try Value(value) else { return }
                configuration[keyPath: path] = property
            })
    }

    /// Declares a setting whose value is an optional property of a configuration.
    ///
    /// - Parameter absent: The value for `nil`; `nil` if the setting then has none.
    init<Value: SettingProperty>(
        _ name: String, _ path: any Path<Value?>, _ kind: SettingKind, absent: SettingValue? = nil,
        option: SettingOption? = nil, _ summary: String
    ) {
        self.init(
            name, kind, of: Value.self, option: option, summary,
            read: { $0[keyPath: path]?.settingValue ?? absent },
            write: { value, configuration throws(FlourishError) in
                configuration[keyPath: path] = if let value { try Value(value) } else { nil }
            })
    }

    /// Declares a setting that only the command line uses. No configuration contains it.
    init(
        _ name: String, _ kind: SettingKind, always value: SettingValue, option: SettingOption? = nil, _ summary: String
    ) {
        self.init(
            name, kind, of: SettingValue.self, option: option, summary, read: { _ in value }, write: { _, _ in })
    }

    /// Returns the key with rules.
    func with(_ rules: SettingRule...) -> SettingKey { changed { $0.rules = rules } }

    /// Returns the key as that of a setting that can change while a session runs.
    ///
    /// - Parameter name: The name of the session's property; by default the name within the table: `holdRing` for
    ///   `hold-ring`.
    func live(as name: String? = nil) -> SettingKey {
        let words = shortName.split(separator: "-")
        let usual = words[0] + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return changed { $0.liveName = name ?? String(usual) }
    }

    /// Returns the key as that of a setting that has no effect on frames of other programs.
    func notForHosts() -> SettingKey { changed { $0.isForHosts = false } }

    private func changed(_ change: (inout SettingKey) -> Void) -> SettingKey {
        var key = self
        change(&key)
        return key
    }
}

/// The option of a setting on the command line.
///
/// The text has the form of a synopsis: `"--hold s"`, or `"-q, --quiet, --no-quiet"` for a switch with its inverse.
package struct SettingOption: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The names with dashes: `-q`, `--quiet`, `--no-quiet`.
    package private(set) var spellings: [String]
    /// The name of the value in the help, `s` in `--hold s`; `nil` for a switch.
    package private(set) var valueName: String?
    /// The name in messages: `--quiet`.
    package private(set) var name: String
    /// The sentence of the help that follows the setting's documentation; empty for none.
    package private(set) var note = ""
    /// The values that shells offer, if others are possible, too.
    package private(set) var suggestions: [String] = []
    /// The number that the option without a value means; `nil` if the option needs a value.
    package private(set) var valueWithout: Double?

    package init(stringLiteral synopsis: String) { self.init(synopsis) }

    init(_ synopsis: String, note: String = "", suggestions: [String] = [], valueWithout: Double? = nil) {
        let words = synopsis.split(separator: " ").map { String($0.last == "," ? $0.dropLast() : $0) }
        spellings = words.filter { $0.hasPrefix("-") }
        valueName = words.first { !$0.hasPrefix("-") }
        name = spellings.first { $0.hasPrefix("--") } ?? synopsis
        (self.note, self.suggestions, self.valueWithout) = (note, suggestions, valueWithout)
    }

    /// Returns `--bind victory=…`, one option for all gestures.
    package static func bind(_ gesture: ReactionGesture) -> SettingOption {
        var option: SettingOption = "--bind gesture=type"
        option.name = "--bind \(gesture.rawValue)=…"
        return option
    }
}

// MARK: - Lists

extension SettingKey {
    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The settings that can change while a session runs.
    package static let live = all.filter { $0.liveName != nil }

    /// Returns the key with a name.
    package static func named(_ name: String) -> SettingKey? { byName[name] }

    /// Returns the key whose name is most similar; `nil` if no name is similar.
    package static func nearest(to name: String) -> SettingKey? {
        let word = name.split(separator: ".").last.map(String.init) ?? name
        let ranked = all.map { key in
            (
                key: key,
                distance: min(
                    name.editDistance(to: key.name), word.editDistance(to: String(key.shortName)))
            )
        }
        guard let best = ranked.min(by: { $0.distance < $1.distance }),
            best.distance <= max(2, word.count / 3)
        else { return nil }
        return best.key
    }
}

extension [SettingKey] {
    /// Returns the settings with some names first, in the order of the names.
    package func beginning(with names: [String]) -> [SettingKey] {
        names.compactMap { name in first { $0.name == name } } + filter { !names.contains($0.name) }
    }
}
