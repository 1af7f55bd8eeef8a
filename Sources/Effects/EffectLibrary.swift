import FoundationEssentials

/// The effects and sprites of an assets folder: `Reactions/*.json`, `Sprites/*.svg`.
package struct EffectLibrary: Sendable {
    /// By type.
    package let descriptions: [String: EffectDescription]
    /// The SVG sources, by name without the ending.
    package let sprites: [String: [UInt8]]

    /// Reads every description in the folder and the sprites that they name.
    ///
    /// - Throws: ``EffectError`` with the file and the key at fault.
    package init(assets folder: String) throws(EffectError) {
        let reactions = folder + "/Reactions"
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: reactions)
        } catch {
            throw EffectError(file: reactions, message: "the folder of effects cannot be read")
        }
        var descriptions: [String: EffectDescription] = [:]
        var sprites: [String: [UInt8]] = [:]
        for name in names.sorted() where name.hasSuffix(".json") {
            let file = reactions + "/" + name
            let description = try EffectDescription(json: Self.read(file), file: file)
            if description.type + ".json" != name {
                throw EffectError(file: file, key: "type", message: "must be the file's name without .json")
            }
            for sprite in description.sprites where sprites[sprite] == nil {
                sprites[sprite] = try Self.read(folder + "/Sprites/" + sprite + ".svg")
            }
            descriptions[description.type] = description
        }
        self.descriptions = descriptions
        self.sprites = sprites
    }

    private static func read(_ file: String) throws(EffectError) -> [UInt8] {
        do {
            return [UInt8](try Data(contentsOf: URL(filePath: file)))
        } catch {
            throw EffectError(file: file, message: "the file cannot be read")
        }
    }
}

extension EffectDescription {
    /// Reads a description.
    ///
    /// - Parameter file: how errors name the source.
    /// - Throws: ``EffectError`` for text that is no JSON, unknown or missing keys and bad values.
    package init(json: [UInt8], file: String) throws(EffectError) {
        do {
            self = try JSONDecoder().decode(EffectDescription.self, from: Data(json))
        } catch let error as DecodingError {
            throw EffectError(error, file: file)
        } catch {
            throw EffectError(file: file, message: "\(error)")
        }
    }
}

extension EffectError {
    init(_ error: DecodingError, file: String) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(file: file, key: Self.path(context.codingPath + [key]), message: "the key is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self.init(
                file: file, key: Self.path(context.codingPath), message: "the value is of the wrong kind")
        case .dataCorrupted(let context):
            let path = Self.path(context.codingPath)
            self.init(
                file: file, key: path,
                message: path.isEmpty ? "the text is not valid JSON" : Self.plain(context.debugDescription))
        @unknown default:
            self.init(file: file, message: "the description cannot be read")
        }
    }

    /// `emitters[0].size`.
    private static func path(_ keys: [any CodingKey]) -> String {
        var path = ""
        for key in keys {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return path
    }

    /// Enumerations report themselves in Swift's words.
    private static func plain(_ text: String) -> String {
        text.hasPrefix("Cannot initialize") ? "the value is not one of those known" : text
    }
}
