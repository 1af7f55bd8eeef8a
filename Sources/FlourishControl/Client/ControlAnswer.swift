import FoundationEssentials

/// What a server said to a request.
package struct ControlAnswer: Decodable {
    /// `success`, or what went wrong in words.
    package let error: String
    /// What the answer holds beside that; `nil` where there is nothing.
    package let data: ControlData?

    /// - Returns: `nil` for a line that is no answer, such as an event.
    package init?(line: String) {
        guard let answer = try? JSONDecoder().decode(ControlAnswer.self, from: Data(line.utf8)) else { return nil }
        self = answer
    }
}

/// Data of any shape from a server that is trusted.
package enum ControlData: Decodable, Sendable {
    case value(ControlValue)
    case list([ControlData])
    case object([String: ControlData])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(ControlValue.self) {
            self = .value(value)
        } else if let list = try? container.decode([ControlData].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: ControlData].self))
        }
    }

    /// The same as a value.
    package var value: ControlValue {
        switch self {
        case .value(let value): value
        case .list(let list): .list(list.map(\.value))
        case .object(let object): .object(object.mapValues(\.value))
        }
    }
}
