import FoundationEssentials
import Platform

/// Reads files that users write: descriptions of effects, palettes, sprites.
package enum EffectFile {
    /// The size limit in bytes. Useful descriptions and sprites are smaller.
    package static let greatestSize = 256 * 1024

    /// - Parameter limit: The maximum size in bytes.
    /// - Throws: ``EffectError`` if the file cannot be read or is too large.
    package static func read(_ file: String, limit: Int = greatestSize) throws(EffectError) -> [UInt8] {
        guard FileKind.of(file) != nil else { throw .unreadable(file, "no such file") }
        // A pipe or a device might never end.
        guard let size = FileKind.size(of: file) else { throw .unreadable(file, "not a regular file") }
        if size > limit {
            throw EffectError(file: file, message: "the file is larger than \(limit / 1024) KiB")
        }
        do {
            return [UInt8](try Data(contentsOf: URL(filePath: file)).prefix(limit))
        } catch {
            throw .unreadable(file, "the file cannot be read")
        }
    }

    /// Returns the names in a folder, sorted.
    /// - Throws: ``EffectError`` if it cannot be read.
    package static func names(in folder: String) throws(EffectError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw .unreadable(folder, "the folder of effects cannot be read")
        }
    }

    package static func exists(_ file: String) -> Bool { FileManager.default.fileExists(atPath: file) }

    /// Decodes JSON; errors name the line or the key.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from json: [UInt8], file: String
    ) throws(EffectError) -> Value {
        do throws(JSONFault) {
            return try JSONFault.decode(type, from: json)
        } catch {
            throw EffectError(file: file, key: error.place, message: error.message)
        }
    }
}

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
