/// A setting that configuration files and options can change.
public struct SettingKey: Sendable {
    /// Its place in a file: `recognition.hold` is `hold` in the table `[recognition]`.
    public let name: String
    /// How the command line spells it; `nil` if it does not.
    package let spelling: SettingOption?
    /// What it does, in a sentence.
    let summary: String
    let kind: SettingKind
    /// Its value in a configuration; `nil` where none is chosen.
    let read: @Sendable (Configuration) -> SettingValue?
    /// Puts an accepted value into a configuration.
    ///
    /// Throws where only the file that a value names can tell that it is no good.
    let write: @Sendable (SettingValue?, inout Configuration) throws(FlourishError) -> Void
    /// What ties it to other settings.
    var rules: [SettingRule] = []

    /// The option of the command line that says the same, such as `--hold`; `nil` if there is none.
    public var option: String? { spelling?.name }
    /// What it does, and what it needs and excludes.
    public var documentation: String { ([summary] + conditions).joined(separator: " ") }
    /// The value that holds by default; `nil` where none is chosen.
    public var builtInValue: SettingValue? { read(Configuration()) }
    /// Which values it takes, in words: "a number from 0 to 10 s".
    public var expectation: String { kind.expectation }

    /// Whether its option takes a number, and so perhaps a minus sign.
    package var takesNumber: Bool {
        switch kind {
        case .number, .integer, .numberOrAuto: true
        case .flag, .bitRate, .choice, .text, .path, .paths, .palette, .gestures: false
        }
    }

    /// The table that the key stands in: all of its name but the last part.
    var table: Substring { name.lastIndex(of: ".").map { name[..<$0] } ?? "" }
    /// Its name within the table.
    var shortName: Substring { name[(name.lastIndex(of: ".").map(name.index(after:)) ?? name.startIndex)...] }

    /// The same setting with what ties it to others.
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

    /// A key that only the command line heeds; no configuration holds it.
    static func message(
        _ name: String, _ kind: SettingKind, _ value: SettingValue, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: kind,
            read: { _ in value }, write: { _, _ in })
    }
}

/// How the command line spells a setting.
///
/// Written as a synopsis has it: `"--hold s"`, or `"-q, --quiet, --no-quiet"` for a switch with both ways.
package struct SettingOption: Sendable, Hashable, ExpressibleByStringLiteral {
    /// With their dashes: `-q`, `--quiet`, `--no-quiet`.
    package let spellings: [String]
    /// What help calls its value: `s` in `--hold s`; `nil` for a switch.
    package let valueName: String?
    /// The option as messages name it: `--quiet`.
    package let name: String

    package init(stringLiteral synopsis: String) {
        let words = synopsis.split(separator: " ").map { String($0.last == "," ? $0.dropLast() : $0) }
        spellings = words.filter { $0.hasPrefix("-") }
        valueName = words.first { !$0.hasPrefix("-") }
        name = spellings.first { $0.hasPrefix("--") } ?? synopsis
    }

    /// `--bind victory=…`, one option for all gestures.
    static func bind(_ gesture: ReactionGesture) -> SettingOption {
        SettingOption(spellings: ["--bind"], valueName: "gesture=type", name: "--bind \(gesture.rawValue)=…")
    }

    private init(spellings: [String], valueName: String?, name: String) {
        self.spellings = spellings
        self.valueName = valueName
        self.name = name
    }
}
