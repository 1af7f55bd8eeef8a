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
            (SettingKey.all.first { $0.name == name }?.option ?? name, value != nil && value != .flag(false))
        }
    }
}

extension SettingValue {
    /// Returns a number, or otherwise a word such as `auto`.
    static func numberOrWord(_ text: String) -> SettingValue {
        Double(text).map { .number($0) } ?? .text(text)
    }

    /// Returns the name of a choice as a value.
    static func named(_ choice: some RawRepresentable<String>) -> SettingValue { .text(choice.rawValue) }
}

// MARK: - Declarations

// The declaration of a setting provides the names and the help of its option, and the name of its value.

extension Option {
    /// An option that sets a setting.
    init<T: ExpressibleByArgument>(setting name: String, more: String = "", completion: CompletionKind? = nil)
    where Value == T? {
        let key = SettingKey.declared(name)
        guard key.takesNumber else {
            self.init(name: key.names, help: key.help(more: more), completion: completion)
            return
        }
        let expectation = key.expectation
        self.init(name: key.names, parsing: .unconditional, help: key.help(more: more), completion: completion) {
            guard let value = T(argument: $0) else { throw ValidationError("it must be \(expectation)") }
            return value
        }
    }

    /// An option that sets a setting to a number, and may be given without one. The parser does not take the name of a
    /// file for the number.
    init(setting name: String, valueWithout: Double) where Value == Double? {
        let key = SettingKey.declared(name)
        self.init(name: key.names, defaultAsFlag: valueWithout, help: key.help())
    }

    /// A repeatable option that sets a setting whose value is a list.
    init<T: ExpressibleByArgument>(
        wrappedValue: [T], setting name: String, more: String = "", completion: CompletionKind? = nil
    ) where Value == [T] {
        let key = SettingKey.declared(name)
        self.init(wrappedValue: wrappedValue, name: key.names, help: key.help(more: more), completion: completion)
    }
}

extension Flag where Value == Bool? {
    /// A switch that sets a setting.
    init(setting name: String) {
        let key = SettingKey.declared(name)
        self.init(name: key.names, inversion: .prefixedNo, help: key.help())
    }
}

extension SettingKey {
    /// Returns the setting with a name. The setting must exist and have an option.
    fileprivate static func declared(_ name: String) -> SettingKey {
        guard let key = SettingKey.all.first(where: { $0.name == name }), key.spelling != nil else {
            preconditionFailure("unknown setting \(name), or no option for it")
        }
        return key
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
    fileprivate func help(more: String = "") -> ArgumentHelp {
        var text = documentation + (more.isEmpty ? "" : " " + more)
        if let value = builtInValue, let plain = Self.plain(value) { text += " (default: \(plain))" }
        return ArgumentHelp(text, valueName: spelling?.valueName, visibility: visibility)
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
