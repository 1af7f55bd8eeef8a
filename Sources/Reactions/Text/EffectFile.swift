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
