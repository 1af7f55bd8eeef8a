import Foundation
// The tests of programs read JSON of all kinds; `JSONValue` comes with the tools for it.
@_exported public import Reactions

/// Reads output whose schema is under test.
extension JSONValue {
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

    /// The whole number, if it is one.
    package var integer: Int? { number.flatMap { Int(exactly: $0) } }
    /// The text, if it is one.
    package var string: String? { if case .text(let value) = self { value } else { nil } }
    /// The truth value, if it is one.
    package var boolean: Bool? { if case .flag(let value) = self { value } else { nil } }
    /// The elements, if it is an array.
    package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members, if it is an object.
    package var object: [String: JSONValue]? {
        if case .object(let value) = self { value } else { nil }
    }
    /// True if it is `null`.
    package var isNull: Bool { self == .null }

    /// The element at that place, if this is an array that long.
    package subscript(_ index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}
