package import Reactions

/// The effects and their sprites: those of an assets folder (`Reactions/*.json`,
/// `Sprites/*.svg`), and those of people's own.
package struct EffectLibrary: Sendable {
    /// By type.
    package internal(set) var descriptions: [String: EffectDescription]
    /// The SVG sources, by the name that the descriptions have for them.
    package internal(set) var sprites: [String: [UInt8]]

    /// What the descriptions of people's own effects, and their sprites, hold, by type: a hash of each.
    package internal(set) var hashes: [String: String] = [:]

    init(descriptions: [String: EffectDescription], sprites: [String: [UInt8]]) {
        self.descriptions = descriptions
        self.sprites = sprites
    }

    /// Reads every description in the folder and the sprites that they name.
    ///
    /// - Throws: ``EffectError`` with the file and the key at fault.
    package init(assets folder: String) throws(EffectError) {
        self.init(descriptions: [:], sprites: [:])
        for name in try EffectFile.names(in: folder + "/Reactions") where name.hasSuffix(".json") {
            let description = try EffectDescription(named: name, in: folder + "/Reactions")
            for sprite in description.sprites where sprites[sprite] == nil {
                sprites[sprite] = try EffectFile.read(folder + "/Sprites/" + sprite + ".svg")
            }
            descriptions[description.type] = description
        }
    }
}

extension EffectDescription {
    /// Reads a description.
    ///
    /// - Parameter file: how errors name the source.
    /// - Throws: ``EffectError`` for text that is no JSON, unknown or missing keys and bad values.
    package init(json: [UInt8], file: String) throws(EffectError) {
        self = try EffectFile.decode(EffectDescription.self, from: json, file: file)
    }

    /// Reads a description from a folder, where its type is the file's name.
    init(named name: String, in folder: String) throws(EffectError) {
        let file = folder + "/" + name
        try self.init(json: EffectFile.read(file), file: file)
        if type + ".json" != name {
            throw EffectError(file: file, key: "type", message: "must be the file's name without .json")
        }
    }
}
