import ArgumentParser
import Flourish

/// Options that set settings.
protocol SettingArguments: ParsableArguments {
    /// The setting of each option, and what was given for it; `nil` for nothing.
    var values: KeyValuePairs<String, SettingValue?> { get }
}

extension SettingArguments {
    /// Sets what was given, as options do.
    func apply(to settings: inout Settings) throws(FlourishError) {
        for (name, value) in values {
            if let value { try settings.set(name, to: value) }
        }
    }

    /// The options, and whether each was given. What is only switched off counts as not given.
    var given: [(String, Bool)] {
        values.map { name, value in
            (SettingKey.all.first { $0.name == name }?.option ?? name, value != nil && value != .flag(false))
        }
    }
}

extension SettingValue {
    /// A number, or else a word such as `auto`.
    static func numberOrWord(_ text: String) -> SettingValue {
        Double(text).map { .number($0) } ?? .text(text)
    }

    /// The value that is called by a name.
    static func named(_ choice: some RawRepresentable<String>) -> SettingValue { .text(choice.rawValue) }
}

// An option that sets a setting has its names, its help and the name of its value from the setting's declaration.

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

    /// An option that may be repeated, and sets a setting that is a list.
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
    /// The setting with a name, which is there and has an option.
    fileprivate static func declared(_ name: String) -> SettingKey {
        guard let key = SettingKey.all.first(where: { $0.name == name }), key.spelling != nil else {
            preconditionFailure("there is no setting \(name), or no option for it")
        }
        return key
    }

    /// The option's names without dashes; ArgumentParser makes the inverse of a switch by itself.
    fileprivate var names: NameSpecification {
        let spellings = (spelling?.spellings ?? []).filter { !$0.hasPrefix("--no-") }
        return NameSpecification(
            spellings.map { spelling in
                let name = spelling.drop { $0 == "-" }
                return name.count == 1 ? .customShort(name.first!) : .customLong(String(name))
            })
    }

    /// What the setting does and what is built in.
    fileprivate func help(more: String = "") -> ArgumentHelp {
        var text = documentation + (more.isEmpty ? "" : " " + more)
        if let value = builtInValue, let plain = Self.plain(value) { text += " (default: \(plain))" }
        return ArgumentHelp(text, valueName: spelling?.valueName)
    }

    /// `nil` where a default need not be told.
    private static func plain(_ value: SettingValue) -> String? {
        switch value {
        case .flag, .list: nil
        case .integer(let integer): "\(integer)"
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .text(let text): text
        }
    }
}
