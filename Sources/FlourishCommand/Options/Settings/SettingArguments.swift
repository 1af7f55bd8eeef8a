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
