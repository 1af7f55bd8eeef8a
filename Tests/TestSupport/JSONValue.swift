import Foundation

/// Any JSON value, for output whose schema is under test.
package enum JSONValue: Sendable, Equatable, Decodable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Reads one JSON text.
    package init(parsing text: String) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    /// Reads JSON Lines: one object a line; blank lines are skipped.
    package static func lines(of text: String) throws -> [[String: JSONValue]] {
        try text.split(whereSeparator: \.isNewline).map { line in
            try JSONDecoder().decode([String: JSONValue].self, from: Data(line.utf8))
        }
    }

    /// The number, if it is one.
    package var number: Double? { if case .number(let value) = self { value } else { nil } }
    /// The whole number, if it is one.
    package var integer: Int? { number.flatMap { Int(exactly: $0) } }
    /// The text, if it is one.
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The truth value, if it is one.
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    /// The elements, if it is an array.
    package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members, if it is an object.
    package var object: [String: JSONValue]? {
        if case .object(let value) = self { value } else { nil }
    }
    /// True if it is `null`.
    package var isNull: Bool { self == .null }

    /// The member of that name, if this is an object that has one.
    package subscript(_ name: String) -> JSONValue? { object?[name] }

    /// The element at that place, if this is an array that long.
    package subscript(_ index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}
