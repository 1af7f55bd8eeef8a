import FoundationEssentials

/// Any value of JSON, for example a field of an input file that this version does not know and writes unchanged.
package enum JSONValue: Sendable, Hashable, Codable {
    case null
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let single = try? JSONValue(single: value) {
            self = single
        } else if let array = try? value.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    /// Decodes a value that is no array and no object, so that nested input cannot make the decoder recurse.
    package init(single container: any SingleValueDecodingContainer) throws {
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

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .flag(let flag): try value.encode(flag)
        case .integer(let integer): try value.encode(integer)
        case .number(let number): try value.encode(number)
        case .text(let text): try value.encode(text)
        case .array(let array): try value.encode(array)
        case .object(let object): try value.encode(object)
        }
    }
}

extension JSONValue {
    /// The number, whether it is an integer or not.
    package var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    /// Returns the value as text for editing: indented, keys in a given order, small objects and lists of numbers on
    /// one line.
    ///
    /// - Parameter order: The keys that come first, in their order; others follow by name.
    package func text(order: [String]) -> String { lines(ranks: Self.ranks(order), indent: "") + "\n" }

    private static func ranks(_ order: [String]) -> [String: Int] {
        Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    /// True if the value contains only a few values, none of which is an array or an object.
    private var fitsOnALine: Bool {
        switch self {
        case .array(let values): values.count <= 4 && values.allSatisfy(\.isPlain)
        case .object(let fields): fields.count <= 2 && fields.values.allSatisfy(\.isPlain)
        default: true
        }
    }

    private var isPlain: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    private func lines(ranks: [String: Int], indent: String) -> String {
        let (isShort, inner) = (fitsOnALine, indent + "  ")
        func list(_ items: [String], _ open: String, _ close: String) -> String {
            if items.isEmpty { return open + close }
            if isShort { return open + items.joined(separator: ", ") + close }
            return open + "\n" + items.map { inner + $0 }.joined(separator: ",\n") + "\n" + indent + close
        }
        switch self {
        case .array(let values): return list(values.map { $0.lines(ranks: ranks, indent: inner) }, "[", "]")
        case .object(let fields):
            let sorted = fields.sorted { a, b in
                let (first, second) = (ranks[a.key] ?? ranks.count, ranks[b.key] ?? ranks.count)
                return first == second ? a.key < b.key : first < second
            }
            return list(
                sorted.map { "\(JSONLine.encode($0.key)): \($0.value.lines(ranks: ranks, indent: inner))" }, "{", "}")
        default: return JSONLine.encode(self)
        }
    }
}

/// Encodes a value as one line of JSON: sorted fields, no newline, no escaped slashes.
package enum JSONLine {
    /// - Precondition: The value consists of strings, integers and finite numbers only, so that encoding cannot fail.
    package static func encode(_ value: some Encodable) -> String {
        guard let line = encoded(value) else { preconditionFailure("a value that JSON cannot hold: \(value)") }
        return line
    }

    /// - Returns: nil for a value that JSON cannot represent, such as NaN.
    package static func encoded(_ value: some Encodable) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Rounds a number to a number of decimal places; returns 0 for values that JSON cannot represent.
    package static func rounded(_ value: Double, places: Int) -> Double {
        guard value.isFinite else { return 0 }
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = (value * scale).rounded()
        // A number whose product is infinite is so large that it has no decimal places.
        return scaled.isFinite ? scaled / scale : value
    }
}

/// A field's name, for events whose set of fields varies.
package struct FieldName: CodingKey, ExpressibleByStringLiteral {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(stringLiteral value: String) { stringValue = value }
    package init(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { nil }
}

extension KeyedEncodingContainer where Key == FieldName {
    /// Encodes seconds with microseconds, the precision that the contract promises.
    package mutating func encode(seconds: Double, forKey key: FieldName) throws {
        try encode(JSONLine.rounded(seconds, places: 6), forKey: key)
    }

    /// Encodes seconds, or `null` if there are none.
    package mutating func encode(seconds: Double?, forKey key: FieldName) throws {
        if let seconds {
            try encode(seconds: seconds, forKey: key)
        } else {
            try encodeNil(forKey: key)
        }
    }
}

extension Double {
    /// The value with three decimal places.
    package var milliseconds: Double { (self * 1000).rounded() / 1000 }

    /// The value in plain notation: 2.0 is 2, and 0.5 is 0.5.
    package var plainText: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }
}
