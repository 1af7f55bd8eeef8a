package import Flourish

extension JSONValue {
    /// Parses a value typed by a user: `on`, `true`, `yes`, `off`, `false`, `no`, a number, or otherwise text.
    ///
    /// ```swift
    /// let fields: [String: JSONValue] = ["command": .text("set"), "value": JSONValue(typed: "off")]
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
}

extension PicturePoint {
    package var jsonValue: JSONValue { .object(["x": .number(x), "y": .number(y)]) }
}

extension ReactionEffectState {
    /// The effect as in the property `reactionEffectsInProgress`. In contrast to events, it has no `systemImageName`
    /// and no `tile`.
    var jsonValue: JSONValue {
        .object([
            "id": .integer(id), "reactionType": .text(reactionType.rawValue), "startTime": .number(startTime),
            "endTime": endTime.map { .number($0) } ?? .null, "origin": origin.jsonValue,
        ])
    }
}

extension SessionQuality {
    var jsonValue: JSONValue {
        .object([
            "rung": .text(level), "lowered": .array(lowered.map { .text($0) }),
            "load": load.map { .number($0) } ?? .null,
            "busiestStage": busiestStage.map { .text($0) } ?? .null,
        ])
    }
}

extension SessionStatistics {
    var jsonValue: JSONValue {
        .object([
            "frames": .integer(frames), "framesPerSecond": .number(framesPerSecond),
            "latency": latency.map { .number($0) } ?? .null, "bitRate": bitRate.map { .number($0) } ?? .null,
        ])
    }
}
