public import Reactions

/// The value of a setting, of one of the kinds that a configuration file supports.
public enum SettingValue: Sendable, Hashable {
    /// A Boolean value.
    case flag(Bool)
    /// An integer.
    case integer(Int)
    /// A floating-point number.
    case number(Double)
    /// A string.
    case text(String)
    /// An array of strings.
    case list([String])

    /// The value as TOML.
    ///
    /// ```swift
    /// print(SettingValue.list(["thumbsUp", "heart"]).toml)  // ["thumbsUp", "heart"]
    /// ```
    public var toml: String {
        switch self {
        case .flag(let flag): "\(flag)"
        case .integer(let integer): "\(integer)"
        case .number(let number): SettingKind.plain(number)
        case .text(let text): Self.quoted(text)
        case .list(let texts): "[" + texts.map(Self.quoted).joined(separator: ", ") + "]"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where scalar.value < 32 || scalar.value == 127:
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension SettingValue: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .flag(let flag): try container.encode(flag)
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let texts): try container.encode(texts)
        }
    }
}

extension SettingValue {
    /// The number, whether it is an integer or not.
    package var asNumber: Double? {
        switch self {
        case .number(let number): number
        case .integer(let integer): Double(integer)
        case .flag, .text, .list: nil
        }
    }
}

// MARK: - Properties

/// A type of properties of a configuration that settings set.
package protocol SettingProperty: Sendable {
    /// Creates the property from a value that the setting accepts; `nil` for a value that stands for no property.
    init?(_ value: SettingValue) throws(FlourishError)

    /// The value of the setting; `nil` if it has none.
    var settingValue: SettingValue? { get }
}

extension Bool: SettingProperty {
    package init?(_ value: SettingValue) {
        guard case .flag(let flag) = value else { return nil }
        self = flag
    }

    package var settingValue: SettingValue? { .flag(self) }
}

extension Double: SettingProperty {
    package init?(_ value: SettingValue) {
        guard case .number(let number) = value else { return nil }
        self = number
    }

    package var settingValue: SettingValue? { .number(self) }
}

extension Int: SettingProperty {
    package init?(_ value: SettingValue) {
        guard case .integer(let integer) = value else { return nil }
        self = integer
    }

    package var settingValue: SettingValue? { .integer(self) }
}

extension UInt64: SettingProperty {
    package init?(_ value: SettingValue) {
        guard case .integer(let integer) = value else { return nil }
        self.init(integer)
    }

    package var settingValue: SettingValue? { .integer(Int(clamping: self)) }
}

extension String: SettingProperty {
    package init?(_ value: SettingValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }

    package var settingValue: SettingValue? { .text(self) }
}

extension SettingProperty where Self: RawRepresentable<String> {
    package init?(_ value: SettingValue) {
        guard case .text(let name) = value else { return nil }
        self.init(rawValue: name)
    }

    package var settingValue: SettingValue? { .text(rawValue) }
}

extension Sensitivity: SettingProperty {}
extension SpeechPolicy: SettingProperty {}
extension HoldRingVisibility: SettingProperty {}
extension ReactionType: SettingProperty {}
extension SmartRender: SettingProperty {}
extension EncodingOptions.Codec: SettingProperty {}
extension InputOptions.Decoders: SettingProperty {}

extension Set<ReactionGesture>: SettingProperty {
    package init?(_ value: SettingValue) {
        guard case .list(let names) = value else { return nil }
        self.init(names.compactMap(ReactionGesture.init(rawValue:)))
    }

    /// The names: built-in gestures precede custom gestures, which are sorted by name.
    package var settingValue: SettingValue? {
        let others = subtracting(ReactionGesture.allCases).map(\.rawValue).sorted()
        return .list(ReactionGesture.allCases.filter(contains).map(\.rawValue) + others)
    }
}

extension Palette: SettingProperty {
    package init?(_ value: SettingValue) throws(FlourishError) {
        guard case .text(let text) = value else { return nil }
        try self.init(text)
    }

    package var settingValue: SettingValue? { .text(colours.joined(separator: ",")) }
}

extension LayoutChoice: SettingProperty {
    package init?(_ value: SettingValue) throws(FlourishError) {
        guard case .text(let text) = value else { return nil }
        try self.init(text)
    }

    package var settingValue: SettingValue? { text.isEmpty ? nil : .text(text) }
}

extension GestureSet: SettingProperty {
    package init?(_ value: SettingValue) throws(FlourishError) {
        guard case .text(let file) = value else { return nil }
        try self.init(contentsOf: file)
    }

    package var settingValue: SettingValue? { nil }
}

extension EffectsFrameRate: SettingProperty {
    package init?(_ value: SettingValue) {
        switch value {
        case .number(let rate): self = .limit(rate)
        case .text: self = .automatic
        case .flag, .integer, .list: return nil
        }
    }

    package var settingValue: SettingValue? {
        switch self {
        case .limit(let rate): .number(rate)
        case .automatic: .text("auto")
        }
    }
}
