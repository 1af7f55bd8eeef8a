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
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

extension SettingValue {
    /// Creates the value of a setting; `nil` for a value that no setting has.
    package init?(_ json: JSONValue) {
        switch json {
        case .flag(let flag): self = .flag(flag)
        case .integer(let integer): self = .integer(integer)
        case .number(let number): self = .number(number)
        case .text(let text): self = .text(text)
        case .array(let values):
            let texts = values.compactMap { if case .text(let text) = $0 { text } else { nil } }
            guard texts.count == values.count else { return nil }
            self = .list(texts)
        case .null, .object: return nil
        }
    }

    package var json: JSONValue {
        switch self {
        case .flag(let flag): .flag(flag)
        case .integer(let integer): .integer(integer)
        case .number(let number): .number(number)
        case .text(let text): .text(text)
        case .list(let texts): .array(texts.map { .text($0) })
        }
    }

    /// The number, whether it is an integer or not.
    package var asNumber: Double? {
        switch self {
        case .number(let number): number
        case .integer(let integer): Double(integer)
        case .flag, .text, .list: nil
        }
    }

    /// The value without its type.
    fileprivate var content: any Sendable {
        switch self {
        case .flag(let flag): flag
        case .integer(let integer): integer
        case .number(let number): number
        case .text(let text): text
        case .list(let texts): texts
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

extension SettingProperty {
    package init?(_ value: SettingValue) throws(FlourishError) {
        guard let content = value.content as? Self else { return nil }
        self = content
    }
}

extension Bool: SettingProperty {
    package var settingValue: SettingValue? { .flag(self) }
}

extension Double: SettingProperty {
    package var settingValue: SettingValue? { .number(self) }
}

extension Int: SettingProperty {
    package var settingValue: SettingValue? { .integer(self) }
}

extension String: SettingProperty {
    package var settingValue: SettingValue? { .text(self) }
}

extension UInt64: SettingProperty {
    package init?(_ value: SettingValue) {
        guard case .integer(let integer) = value else { return nil }
        self.init(integer)
    }

    package var settingValue: SettingValue? { .integer(Int(clamping: self)) }
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

extension Background: SettingProperty {
    package init?(_ value: SettingValue) throws(FlourishError) {
        guard case .text(let text) = value else { return nil }
        try self.init(text)
    }

    package var settingValue: SettingValue? { .text(text) }
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
