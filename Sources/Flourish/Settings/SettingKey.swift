/// The declaration of a setting, which configuration files and options can change.
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
    let summary: String
    let kind: SettingKind
    /// Returns the value of a configuration; `nil` if it has no value.
    let read: @Sendable (Configuration) -> SettingValue?
    /// Sets an accepted value in a configuration.
    ///
    /// Throws for a value that names an unusable file.
    let write: @Sendable (SettingValue?, inout Configuration) throws(FlourishError) -> Void
    /// The relations to other settings.
    var rules: [SettingRule] = []

    /// The name of the option, such as `--hold`; `nil` if there is none.
    public var option: String? { spelling?.name }
    /// The effect of the setting, and its conditions.
    public var documentation: String { ([summary] + conditions).joined(separator: " ") }
    /// The default; `nil` if there is none.
    public var builtInValue: SettingValue? { read(Configuration()) }
    /// The accepted values, in words: "a number from 0 to 10 s".
    public var expectation: String { kind.expectation + limitsByCodec }

    /// True if the option takes a number, which may start with a minus sign.
    package var takesNumber: Bool {
        switch kind {
        case .number, .integer, .numberOrAuto: true
        case .flag, .bitRate, .choice, .text, .path, .paths, .palette, .layout, .gestures: false
        }
    }

    /// The table of the key: its name without the last part.
    var table: Substring { name.lastIndex(of: ".").map { name[..<$0] } ?? "" }
    /// The name within the table.
    var shortName: Substring { name[(name.lastIndex(of: ".").map(name.index(after:)) ?? name.startIndex)...] }

    /// Returns the key with additional rules.
    func with(_ rules: SettingRule...) -> SettingKey {
        var key = self
        key.rules = rules
        return key
    }
}

// MARK: - Kinds of keys

extension SettingKey {
    typealias Path<Value> = WritableKeyPath<Configuration, Value> & Sendable

    static func flag(
        _ name: String, _ path: any Path<Bool>, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .flag,
            read: { .flag($0[keyPath: path]) },
            write: { if case .flag(let flag)? = $0 { $1[keyPath: path] = flag } })
    }

    static func number(
        _ name: String, _ path: any Path<Double>, _ range: ClosedRange<Double>, unit: String = "",
        option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .number(range, unit: unit),
            read: { .number($0[keyPath: path]) },
            write: { if case .number(let number)? = $0 { $1[keyPath: path] = number } })
    }

    static func number(
        _ name: String, _ path: any Path<Double?>, _ range: ClosedRange<Double>, unit: String = "",
        option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .number(range, unit: unit),
            read: { $0[keyPath: path].map { .number($0) } },
            write: { value, configuration in
                if case .number(let number)? = value {
                    configuration[keyPath: path] = number
                } else {
                    configuration[keyPath: path] = nil
                }
            })
    }

    static func integer(
        _ name: String, _ path: any Path<UInt64>, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .integer(0...Int.max),
            read: { .integer(Int(clamping: $0[keyPath: path])) },
            write: { if case .integer(let integer)? = $0 { $1[keyPath: path] = UInt64(integer) } })
    }

    static func integer(
        _ name: String, _ path: any Path<Int?>, _ range: ClosedRange<Int>, option: SettingOption?,
        _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .integer(range),
            read: { $0[keyPath: path].map { .integer($0) } }, write: writer(of: path))
    }

    static func count(
        _ name: String, _ path: any Path<Int>, _ range: ClosedRange<Int>, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .integer(range),
            read: { .integer($0[keyPath: path]) },
            write: { if case .integer(let integer)? = $0 { $1[keyPath: path] = integer } })
    }

    static func bitRate(
        _ name: String, _ path: any Path<Int?>, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .bitRate,
            read: { $0[keyPath: path].map { .integer($0) } }, write: writer(of: path))
    }

    private static func writer(
        of path: any Path<Int?>
    ) -> @Sendable (SettingValue?, inout Configuration) throws(FlourishError) -> Void {
        { value, configuration in
            if case .integer(let integer)? = value {
                configuration[keyPath: path] = integer
            } else {
                configuration[keyPath: path] = nil
            }
        }
    }

    static func text(
        _ name: String, _ path: any Path<String?>, _ kind: SettingKind, option: SettingOption?,
        _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: kind,
            read: { $0[keyPath: path].map { .text($0) } },
            write: { value, configuration in
                if case .text(let text)? = value {
                    configuration[keyPath: path] = text
                } else {
                    configuration[keyPath: path] = nil
                }
            })
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ path: any Path<Choice>, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary,
            kind: .choice(Choice.allCases.map(\.rawValue)),
            read: { .text($0[keyPath: path].rawValue) },
            write: { value, configuration in
                if case .text(let text)? = value, let choice = Choice(rawValue: text) {
                    configuration[keyPath: path] = choice
                }
            })
    }

    /// Returns the key of a setting that only the command line uses. No configuration contains it.
    static func message(
        _ name: String, _ kind: SettingKind, _ value: SettingValue, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: kind,
            read: { _ in value }, write: { _, _ in })
    }
}

/// The option of a setting on the command line.
///
/// The text has the form of a synopsis: `"--hold s"`, or `"-q, --quiet, --no-quiet"` for a switch with its inverse.
package struct SettingOption: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The names with dashes: `-q`, `--quiet`, `--no-quiet`.
    package let spellings: [String]
    /// The name of the value in the help, `s` in `--hold s`; `nil` for a switch.
    package let valueName: String?
    /// The name in messages: `--quiet`.
    package let name: String

    package init(stringLiteral synopsis: String) {
        let words = synopsis.split(separator: " ").map { String($0.last == "," ? $0.dropLast() : $0) }
        spellings = words.filter { $0.hasPrefix("-") }
        valueName = words.first { !$0.hasPrefix("-") }
        name = spellings.first { $0.hasPrefix("--") } ?? synopsis
    }

    /// Returns `--bind victory=…`, one option for all gestures.
    static func bind(_ gesture: ReactionGesture) -> SettingOption {
        SettingOption(spellings: ["--bind"], valueName: "gesture=type", name: "--bind \(gesture.rawValue)=…")
    }

    private init(spellings: [String], valueName: String?, name: String) {
        self.spellings = spellings
        self.valueName = valueName
        self.name = name
    }
}
