import FoundationEssentials
import Platform

/// Decodes the keys of one JSON object in a user-written file, such as an effect's description, and rejects unknown
/// keys.
package struct EffectFields {
    package struct Key: CodingKey {
        package let stringValue: String
        package var intValue: Int? { nil }
        package init(stringValue: String) { self.stringValue = stringValue }
        package init?(intValue: Int) { nil }
    }

    private let container: KeyedDecodingContainer<Key>
    private var known: [String] = []

    package init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: Key.self)
    }

    package mutating func optional<T: Decodable>(_ key: String, _ type: T.Type = T.self) throws -> T? {
        known.append(key)
        return try container.decodeIfPresent(T.self, forKey: Key(stringValue: key))
    }

    package mutating func value<T: Decodable>(_ key: String, _ fallback: T) throws -> T {
        try optional(key) ?? fallback
    }

    package mutating func required<T: Decodable>(_ key: String) throws -> T {
        known.append(key)
        return try container.decode(T.self, forKey: Key(stringValue: key))
    }

    /// Returns a number within `bounds`; `fallback` if the key is absent.
    package mutating func plain(_ key: String, _ fallback: Double, in bounds: ClosedRange<Double>) throws -> Double {
        let number = try value(key, fallback)
        try check(
            bounds.contains(number), key, "must be between \(bounds.lowerBound) and \(bounds.upperBound)")
        return number
    }

    /// Returns the values of a property over a particle's lifetime, each within `bounds`.
    package mutating func steps(_ key: String, in bounds: ClosedRange<Double>) throws -> [Double] {
        let values: [Double] = try value(key, [])
        try check(
            values.count <= 64 && values.allSatisfy(bounds.contains), key,
            "must be up to 64 numbers between \(bounds.lowerBound) and \(bounds.upperBound)")
        return values
    }

    /// Returns the name of another file, without extension and folder.
    package mutating func name(_ key: String) throws -> String? {
        let name: String? = try optional(key)
        if let name { try checkName(name, key) }
        return name
    }

    /// Rejects names with special characters: names become parts of paths and of command lines.
    package func checkName(_ name: String, _ key: String) throws {
        let isPlain =
            name.utf8.count <= 64
            && name.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == "_")
            }
        try check(
            isPlain && name.first?.isLetter == true, key,
            "\"\(name.prefix(40))\" is not a name: use letters, digits, - and _, and start with a letter")
    }

    package func check(_ holds: Bool, _ key: String, _ message: String) throws {
        if !holds {
            throw DecodingError.dataCorruptedError(
                forKey: Key(stringValue: key), in: container, debugDescription: message)
        }
    }

    /// - Throws: If the object has a key that was not decoded.
    package func finish() throws {
        for key in container.allKeys.map(\.stringValue).sorted() where !known.contains(key) {
            throw DecodingError.dataCorruptedError(
                forKey: Key(stringValue: key), in: container, debugDescription: "unknown key")
        }
    }
}
