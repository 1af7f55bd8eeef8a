import FoundationEssentials

/// One value as one line of JSON: sorted fields, no newline, no escaped slashes.
package enum JSONLine {
    /// - Precondition: the value is made of strings, whole and finite numbers only, so that encoding cannot fail.
    package static func encode(_ value: some Encodable) -> String {
        guard let line = encoded(value) else { preconditionFailure("a value that JSON cannot hold: \(value)") }
        return line
    }

    /// - Returns: nil for a value that JSON cannot hold, such as a number that is none.
    package static func encoded(_ value: some Encodable) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A number with so many decimal places, and 0 for what JSON cannot hold.
    package static func rounded(_ value: Double, places: Int) -> Double {
        guard value.isFinite else { return 0 }
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = (value * scale).rounded()
        // What is so large has no such places.
        return scaled.isFinite ? scaled / scale : value
    }
}

/// A field's name where the set of fields depends on the event.
package struct FieldName: CodingKey, ExpressibleByStringLiteral {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(stringLiteral value: String) { stringValue = value }
    package init(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { nil }
}

extension KeyedEncodingContainer where Key == FieldName {
    /// Seconds with microseconds, the precision that the contract promises.
    package mutating func encode(seconds: Double, forKey key: FieldName) throws {
        try encode(JSONLine.rounded(seconds, places: 6), forKey: key)
    }

    /// `null` where nothing is known.
    package mutating func encode(seconds: Double?, forKey key: FieldName) throws {
        if let seconds {
            try encode(seconds: seconds, forKey: key)
        } else {
            try encodeNil(forKey: key)
        }
    }
}
