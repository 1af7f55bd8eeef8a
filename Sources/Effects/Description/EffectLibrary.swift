package import Reactions

/// The effects and their sprites: those of an assets folder (`Reactions/*.json`, `Sprites/*.svg`), and custom effects.
/// A value that is loaded before a run and does not change during it.
package struct EffectLibrary: Sendable {
    /// The descriptions by type.
    package internal(set) var descriptions: [String: EffectDescription]
    /// The contents of sprites' files, by their names in the descriptions.
    package internal(set) var sprites: [String: [UInt8]]

    /// The sounds of effects, by type.
    package internal(set) var sounds: [String: EffectSound] = [:]
    /// The hashes of custom effects' descriptions and sprites, by type.
    package internal(set) var hashes: [String: String] = [:]

    init(descriptions: [String: EffectDescription], sprites: [String: [UInt8]]) {
        self.descriptions = descriptions
        self.sprites = sprites
    }

    /// Reads every description in the folder and the sprites that they name.
    ///
    /// - Throws: ``EffectError`` with the file and the invalid key.
    package init(assets folder: String) throws(EffectError) {
        self.init(descriptions: [:], sprites: [:])
        for name in try EffectFile.names(in: folder + "/Reactions") where name.hasSuffix(".json") {
            let description = try EffectDescription(named: name, in: folder + "/Reactions")
            for sprite in description.sprites where sprites[sprite] == nil {
                sprites[sprite] = try EffectFile.read(folder + "/Sprites/" + sprite + ".svg")
            }
            if let sound = description.sound {
                sounds[description.type] = try EffectSound.named(sound, of: description.type, in: nil).sound
            }
            descriptions[description.type] = description
        }
    }
}

extension EffectDescription {
    /// Reads a description.
    ///
    /// - Parameter file: The source's name in errors.
    /// - Throws: ``EffectError`` for invalid JSON, unknown or missing keys and bad values.
    package init(json: [UInt8], file: String) throws(EffectError) {
        self = try EffectFile.decode(EffectDescription.self, from: json, file: file)
    }

    /// Reads a description from a folder; the file's name is the effect's type.
    init(named name: String, in folder: String) throws(EffectError) {
        let file = folder + "/" + name
        try self.init(json: EffectFile.read(file), file: file)
        if type + ".json" != name {
            throw EffectError(file: file, key: "type", message: "must be the file's name without .json")
        }
    }
}

extension EffectLibrary {
    /// The maximum number of custom effects in a folder.
    private static var greatestCount: Int { 200 }
    /// The maximum number of packs in a folder.
    private static var greatestPacks: Int { 100 }
    /// The name of the file that makes a folder a pack of effects.
    package static var manifestName: String { "flourish-pack.json" }

    /// Checks a folder of custom effects without reading them.
    /// - Throws: ``EffectError`` if the folder cannot be read.
    package static func check(folder: String) throws(EffectError) { _ = try EffectFile.names(in: folder) }

    /// Returns the names of a folder's packs, sorted: those of its folders that contain a manifest.
    /// - Throws: ``EffectError`` if the folder cannot be read.
    package static func packs(in folder: String) throws(EffectError) -> [String] {
        try EffectFile.names(in: folder).filter { name in
            !name.hasPrefix(".") && EffectFile.exists(folder + "/" + name + "/" + manifestName)
        }
    }

    /// Adds custom effects: each `FOLDER/<type>.json`, with its sprites beside it or in `FOLDER/Sprites`, and those of
    /// the packs in the folder. Sprites in neither place are read from the assets.
    ///
    /// - Throws: ``EffectError`` if the folder cannot be read, for an invalid description or sprite, and for a type
    ///   that exists already.
    package mutating func add(folder: String) throws(EffectError) {
        try addDescriptions(in: folder, remedy: "rename the file and its type")
        let packs = try Self.packs(in: folder)
        if packs.count > Self.greatestPacks {
            throw EffectError(
                file: folder, message: "the folder holds \(packs.count) packs; the limit is \(Self.greatestPacks)")
        }
        for pack in packs { try add(pack: pack, in: folder) }
    }

    /// Adds the effects of a pack, which is a folder with descriptions and sprites.
    /// - Throws: ``EffectError`` as ``add(folder:)``.
    package mutating func add(pack: String, in folder: String) throws(EffectError) {
        try addDescriptions(in: folder + "/" + pack, remedy: "remove the pack: flourish effects remove \(pack)")
    }

    private mutating func addDescriptions(in folder: String, remedy: String) throws(EffectError) {
        let names = try EffectFile.names(in: folder).filter {
            $0.hasSuffix(".json") && !$0.hasPrefix(".") && $0 != Self.manifestName
        }
        if names.count > Self.greatestCount {
            throw EffectError(
                file: folder, message: "the folder holds \(names.count) effects; the limit is \(Self.greatestCount)")
        }
        for name in names {
            let description = try EffectDescription(named: name, in: folder)
            if descriptions[description.type] != nil {
                throw EffectError(
                    file: folder + "/" + name, key: "type",
                    message: "the reaction \(description.type) exists already; \(remedy)")
            }
            try add(description, json: EffectFile.read(folder + "/" + name), from: folder)
        }
    }

    /// Adds one custom effect, replacing an effect of the same type.
    ///
    /// - Returns: The effect's type.
    /// - Throws: ``EffectError`` for an invalid description or sprite.
    package mutating func add(file: String) throws(EffectError) -> String {
        try add(json: EffectFile.read(file), file: file)
    }

    /// Adds one custom effect that need not be in a file, replacing an effect of the same type.
    ///
    /// - Parameter file: The path that errors name. The effect's sprites are in its folder.
    /// - Returns: The effect's type.
    /// - Throws: ``EffectError`` for an invalid description or sprite.
    package mutating func add(json: [UInt8], file: String) throws(EffectError) -> String {
        let description = try EffectDescription(json: json, file: file)
        let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        try add(description, json: json, from: folder)
        return description.type
    }

    private mutating func add(
        _ description: EffectDescription, json: [UInt8], from folder: String
    ) throws(EffectError) {
        var hash = ContentHash()
        hash.add(json)
        // Sprites of two folders may have the same name, so custom sprites are keyed by their paths.
        var paths: [String: String] = [:]
        for sprite in description.sprites {
            let places = [folder + "/" + sprite, folder + "/Sprites/" + sprite].flatMap { stem in
                SpriteFormat.allCases.map { (path: stem + "." + $0.rawValue, format: $0) }
            }
            guard let (path, format) = places.first(where: { EffectFile.exists($0.path) }) else {
                if sprites[sprite] != nil { continue }
                throw .unreadable(
                    folder + "/" + sprite + ".svg",
                    "the sprite of \(description.type) is missing; put it beside the description or in Sprites, as .svg, .png or .webp"
                )
            }
            paths[sprite] = path
            if sprites[path] == nil {
                let bytes = try EffectFile.read(path, limit: format.greatestFile)
                if let fault = format.fault(in: bytes) { throw EffectError(file: path, message: fault) }
                sprites[path] = bytes
            }
            hash.add(sprites[path] ?? [])
        }
        if let name = description.sound {
            let (sound, file) = try EffectSound.named(name, of: description.type, in: folder)
            sounds[description.type] = sound
            hash.add(file)
        } else {
            sounds[description.type] = nil
        }
        hashes[description.type] = hash.text
        descriptions[description.type] = description.renamingSprites(paths)
    }
}

extension EffectDescription {
    fileprivate func renamingSprites(_ names: [String: String]) -> EffectDescription {
        var renamed = self
        if let sprite = icon?.sprite { renamed.icon?.sprite = names[sprite] ?? sprite }
        renamed.emitters = emitters.map { emitter in
            emitter.changed { _, appearance in appearance.sprite = appearance.sprite.map { names[$0] ?? $0 } }
        }
        return renamed
    }
}

/// A hash that is the same on every machine and in every version: FNV-1a of 64 bits
/// (http://www.isthe.com/chongo/tech/comp/fnv/).
package struct ContentHash: Sendable {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// Adds an array, without the cost of a generic sequence.
    package mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// The hash as 16 hexadecimal digits.
    package var digits: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The hash with its method: `fnv1a:` and the digits.
    package var text: String { "fnv1a:" + digits }
}
