import ArgumentParser
import Flourish

extension ArgumentHelp {
    /// The help of an option that sets a setting: what the setting does and what is built in.
    static func setting(_ name: String, valueName: String? = nil, more: String = "") -> ArgumentHelp {
        guard let key = SettingKey.all.first(where: { $0.name == name }) else {
            preconditionFailure("there is no setting \(name)")
        }
        var text = key.documentation + (more.isEmpty ? "" : " " + more)
        if let value = key.builtInValue, let plain = plain(value) { text += " (default: \(plain))" }
        return ArgumentHelp(stringLiteral: text).named(valueName)
    }

    private func named(_ valueName: String?) -> ArgumentHelp {
        var help = self
        help.valueName = valueName
        return help
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

extension Settings {
    /// Sets what an option says; nothing where it was not given.
    mutating func set(_ name: String, _ value: SettingValue?) throws(FlourishError) {
        if let value { try set(name, to: value) }
    }
}
