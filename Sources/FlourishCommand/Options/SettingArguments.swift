import ArgumentParser
import Flourish

/// Options that set settings.
protocol SettingArguments: ParsableArguments {
    /// The name of each option's setting, and the given value; `nil` for an option that is not given.
    var values: [(name: String, value: SettingValue?)] { get }
}

extension SettingArguments {
    /// Sets the given values, with the precedence of options.
    func apply(to settings: inout Settings) throws(FlourishError) {
        for (name, value) in values {
            if let value { try settings.set(name, to: value) }
        }
    }

    /// The options, each with a Boolean value that indicates whether it is given. A switch with the value false counts
    /// as not given.
    var given: [(String, Bool)] {
        values.map { name, value in
            (SettingKey.named(name)?.option ?? name, value != nil && value != .flag(false))
        }
    }

    /// Returns the text that an option sets; `nil` if it is not given.
    func text(_ name: String) -> String? {
        if case .text(let text)? = values.first(where: { $0.name == name })?.value { text } else { nil }
    }

    /// Replaces the parts of a plan's style that the options set.
    func apply(to plan: inout ReactionPlan.Style) throws(FlourishError) {
        plan = try plan.changed { configuration throws(FlourishError) in
            for (name, value) in values {
                guard let value, let key = SettingKey.named(name) else { continue }
                try key.write(key.kind.accept(value), &configuration)
            }
        }
    }
}

/// The settings whose options a command offers together.
protocol SettingGroup {
    /// The settings, in the order of the help.
    static var settings: [SettingKey] { get }
}

/// The options of a group of settings, which follow from the declarations of the settings.
struct SettingOptions<Group: SettingGroup>: SettingArguments, CustomReflectable {
    let values: [(name: String, value: SettingValue?)]

    init() { values = [] }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionName.self)
        values = try Group.settings.map { key in
            (key.name, try DeclaredOption(key).value(container, OptionName(stringValue: key.name)))
        }
    }

    /// The parser finds options as properties of a mirror.
    var customMirror: Mirror {
        Mirror(self, children: Group.settings.map { (label: $0.name, value: DeclaredOption($0).property) })
    }
}

/// The name under which the parser stores the value of an option: that of the setting.
private struct OptionName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// The option that follows from the declaration of a setting.
private struct DeclaredOption {
    typealias Values = KeyedDecodingContainer<OptionName>

    /// The property that declares the option for the parser.
    let property: Any
    /// Returns the value that was parsed; `nil` for none.
    let value: (Values, OptionName) throws -> SettingValue?

    init(_ key: SettingKey) {
        switch key.kind {
        case .flag:
            self.init(Flag(setting: key), SettingValue.flag)
        case .number(_, let unit):
            if let number = key.spelling?.valueWithout {
                self.init(Option(setting: key, valueWithout: number), SettingValue.number)
            } else if unit == "s" {
                self.init(Option<TimeArgument?>(setting: key)) { .number($0.seconds) }
            } else {
                self.init(Option<Double?>(setting: key), SettingValue.number)
            }
        case .integer:
            self.init(Option<Int?>(setting: key), SettingValue.integer)
        case .numberOrAuto:
            self.init(Option<String?>(setting: key)) { text in Double(text).map { .number($0) } ?? .text(text) }
        case .choice:
            guard let type = key.type as? any (ExpressibleByArgument & RawRepresentable<String>).Type else {
                preconditionFailure("\(key.name) has no type of choices")
            }
            self = Self.choice(of: type, key)
        case .bitRate, .text, .path, .palette, .layout, .background:
            self.init(Option<String?>(setting: key), SettingValue.text)
        case .texts, .paths:
            self.init(Option<[String]>(settings: key)) { $0.isEmpty ? nil : .list($0) }
        case .gestures:
            self.init(Option<[GestureNames]>(settings: key)) { $0.isEmpty ? nil : .list($0.flatMap(\.names)) }
        }
    }

    private static func choice<Choice: ExpressibleByArgument & RawRepresentable<String>>(
        of type: Choice.Type, _ key: SettingKey
    ) -> DeclaredOption {
        DeclaredOption(Option<Choice?>(setting: key)) { .text($0.rawValue) }
    }

    private init<Parsed>(_ option: Option<Parsed?>, _ value: @escaping (Parsed) -> SettingValue) {
        property = option
        self.value = { try $0.decode(Option<Parsed?>.self, forKey: $1).wrappedValue.map(value) }
    }

    private init<Parsed>(_ option: Option<[Parsed]>, _ value: @escaping ([Parsed]) -> SettingValue?) {
        property = option
        self.value = { value(try $0.decode(Option<[Parsed]>.self, forKey: $1).wrappedValue) }
    }

    private init(_ flag: Flag<Bool?>, _ value: @escaping (Bool) -> SettingValue) {
        property = flag
        self.value = { try $0.decode(Flag<Bool?>.self, forKey: $1).wrappedValue.map(value) }
    }
}

/// The names of gestures, such as `victory` or `victory,heart`.
struct GestureNames: ExpressibleByArgument {
    let names: [String]

    init?(argument: String) {
        let gestures = argument.split(separator: ",", omittingEmptySubsequences: false)
            .map { ReactionGesture(rawValue: String($0)) }
        guard !gestures.contains(nil) else { return nil }
        names = gestures.compactMap { $0?.rawValue }
    }

    static var defaultCompletionKind: CompletionKind { .gestures }
}

// MARK: - Declarations

// The declaration of a setting provides the names and the help of its option, and the name of its value.

extension Option {
    /// An option that sets a setting.
    fileprivate init<T: ExpressibleByArgument>(setting key: SettingKey) where Value == T? {
        guard key.takesNumber else {
            self.init(name: key.names, help: key.help, completion: key.completion)
            return
        }
        let expectation = key.expectation
        self.init(name: key.names, parsing: .unconditional, help: key.help, completion: key.completion) {
            guard let value = T(argument: $0) else { throw ValidationError("it must be \(expectation)") }
            return value
        }
    }

    /// An option that sets a setting to a number, and may be given without one.
    fileprivate init(setting key: SettingKey, valueWithout: Double) where Value == Double? {
        self.init(name: key.names, defaultAsFlag: valueWithout, help: key.help)
    }

    /// A repeatable option that sets a setting whose value is a list.
    fileprivate init<T: ExpressibleByArgument>(settings key: SettingKey) where Value == [T] {
        self.init(wrappedValue: [], name: key.names, help: key.help, completion: key.completion)
    }
}

extension Option {
    /// An option that sets a setting, in a group with options of other kinds.
    init<T: ExpressibleByArgument>(setting name: String) where Value == T? { self.init(setting: .declared(name)) }
}

extension Flag where Value == Bool? {
    fileprivate init(setting key: SettingKey) {
        self.init(name: key.names, inversion: .prefixedNo, help: key.help)
    }

    /// A switch that sets a setting, in a group with options of other kinds.
    init(setting name: String) { self.init(setting: .declared(name)) }
}

extension SettingKey {
    /// Returns the setting with a name. The setting must exist and have an option.
    static func declared(_ name: String) -> SettingKey {
        guard let key = SettingKey.named(name), key.spelling != nil else {
            preconditionFailure("unknown setting \(name), or no option for it")
        }
        return key
    }

    /// True if the option takes a number, which may start with a minus sign.
    fileprivate var takesNumber: Bool {
        switch kind {
        case .number, .integer, .numberOrAuto: true
        case .flag, .bitRate, .choice, .text, .texts, .path, .paths, .palette, .layout, .background, .gestures: false
        }
    }

    /// The option's names without dashes. ArgumentParser adds the inverse of a switch.
    fileprivate var names: NameSpecification {
        let spellings = (spelling?.spellings ?? []).filter { !$0.hasPrefix("--no-") }
        return NameSpecification(
            spellings.map { spelling in
                let name = spelling.drop { $0 == "-" }
                return name.count == 1 ? .customShort(name.first!) : .customLong(String(name))
            })
    }

    /// The setting's documentation, followed by its built-in value.
    fileprivate var help: ArgumentHelp {
        var text = documentation
        if let note = spelling?.note, !note.isEmpty { text += " " + note }
        if let value = builtInValue, let plain = Self.plain(value) { text += " (default: \(plain))" }
        return ArgumentHelp(text, valueName: spelling?.valueName, visibility: visibility)
    }

    /// The completion of values; `nil` for that of their type.
    fileprivate var completion: CompletionKind? {
        if let values = spelling?.suggestions, !values.isEmpty { return .list(values) }
        return switch kind {
        case .path: .file(extensions: ["json"])
        case .paths: .directory
        case .palette, .layout, .numberOrAuto: .list(kind.choices ?? [])
        default: nil
        }
    }

    /// Returns a default in the form for the help; `nil` if the help omits the default for this kind of value.
    private static func plain(_ value: SettingValue) -> String? {
        switch value {
        case .flag, .list: nil
        case .integer(let integer): "\(integer)"
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .text(let text): text
        }
    }
}
