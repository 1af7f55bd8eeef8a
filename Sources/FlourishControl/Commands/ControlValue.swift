package import Flourish

/// A value of the control protocol: a property's value, an identifier of a request, or a reply's data.
package enum ControlValue: Sendable, Hashable {
    case null
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([ControlValue])
    case object([String: ControlValue])
}

/// Only single values are decoded, so nested input cannot make the decoder recurse.
extension ControlValue: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? container.decode(Int.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }
}

extension ControlValue: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }
}

extension ControlValue {
    /// Parses a value typed by a user: `on`, `true`, `yes`, `off`, `false`, `no`, a number, or otherwise text.
    ///
    /// ```swift
    /// let fields: [String: ControlValue] = ["command": .text("set"), "value": ControlValue(typed: "off")]
    /// ```
    package init(typed text: String) {
        switch text.lowercased() {
        case "on", "true", "yes": self = .flag(true)
        case "off", "false", "no": self = .flag(false)
        default:
            if let integer = Int(text) {
                self = .integer(integer)
            } else if let number = Double(text), number.isFinite {
                self = .number(number)
            } else {
                self = .text(text)
            }
        }
    }

    /// The value as it appears in messages: JSON, but text without quotes.
    package var plain: String {
        if case .text(let text) = self { return text }
        return json
    }

    /// The value as JSON in one line, without a newline; fields are sorted. A number that JSON cannot hold becomes
    /// `null`.
    var json: String { JSONLine.encoded(self) ?? "null" }

    package subscript(key: String) -> ControlValue? {
        if case .object(let fields) = self { fields[key] } else { nil }
    }

    /// The number, whether it is an integer or not.
    var asNumber: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }
}

extension PicturePoint {
    package var controlValue: ControlValue { .object(["x": .number(x), "y": .number(y)]) }
}

extension ReactionEffectState {
    /// The effect as in the property `reactionEffectsInProgress`. In contrast to events, it has no `systemImageName`
    /// and no `tile`.
    var controlValue: ControlValue {
        .object([
            "id": .integer(id), "reactionType": .text(reactionType.rawValue), "startTime": .number(startTime),
            "endTime": endTime.map { .number($0) } ?? .null, "origin": origin.controlValue,
        ])
    }
}

extension SessionQuality {
    var controlValue: ControlValue {
        .object([
            "rung": .text(level), "lowered": .list(lowered.map { .text($0) }),
            "load": load.map { .number($0) } ?? .null,
            "busiestStage": busiestStage.map { .text($0) } ?? .null,
        ])
    }
}

extension SessionStatistics {
    var controlValue: ControlValue {
        .object([
            "frames": .integer(frames), "framesPerSecond": .number(framesPerSecond),
            "latency": latency.map { .number($0) } ?? .null, "bitRate": bitRate.map { .number($0) } ?? .null,
        ])
    }
}
