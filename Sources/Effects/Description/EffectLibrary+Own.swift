package import Reactions

extension EffectLibrary {
    /// How many effects of one's own there may be in a folder.
    private static var greatestCount: Int { 200 }

    /// - Throws: ``EffectError`` where a folder of effects cannot be read.
    package static func check(folder: String) throws(EffectError) { _ = try EffectFile.names(in: folder) }

    /// Adds the effects of somebody's own: each `FOLDER/<type>.json`, with its sprites beside it
    /// or in `FOLDER/Sprites`. Sprites that are in neither are those of the assets.
    ///
    /// - Throws: ``EffectError`` where the folder cannot be read, for a description or a sprite
    ///   that cannot be used, and for a type that is there already.
    package mutating func add(folder: String) throws(EffectError) {
        let names = try EffectFile.names(in: folder).filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
        if names.count > Self.greatestCount {
            throw EffectError(
                file: folder, message: "the folder holds \(names.count) effects, and \(Self.greatestCount) is the most")
        }
        for name in names {
            let description = try EffectDescription(named: name, in: folder)
            if descriptions[description.type] != nil {
                throw EffectError(
                    file: folder + "/" + name, key: "type",
                    message: "there is a reaction \(description.type) already; give the file and its type another name")
            }
            try add(description, json: EffectFile.read(folder + "/" + name), from: folder)
        }
    }

    /// Adds one effect of somebody's own, in place of one of the same type.
    ///
    /// - Returns: its type.
    /// - Throws: ``EffectError`` for a description or a sprite that cannot be used.
    package mutating func add(file: String) throws(EffectError) -> String {
        let json = try EffectFile.read(file)
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
        // Two folders may each have a sprite of one name, so theirs are known by their paths.
        var paths: [String: String] = [:]
        for sprite in description.sprites {
            let places = [folder + "/" + sprite, folder + "/Sprites/" + sprite]
            guard let path = places.first(where: { EffectFile.exists($0 + ".svg") }) else {
                if sprites[sprite] != nil { continue }
                throw .unreadable(
                    folder + "/" + sprite + ".svg",
                    "the sprite of \(description.type) is missing; put it beside the description or into Sprites")
            }
            paths[sprite] = path
            if sprites[path] == nil {
                let svg = try EffectFile.read(path + ".svg")
                if let fault = SpriteCheck.fault(in: svg) {
                    throw EffectError(file: path + ".svg", message: fault)
                }
                sprites[path] = svg
            }
            hash.add(sprites[path] ?? [])
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
            emitter.changed { _, look in look.sprite = look.sprite.map { names[$0] ?? $0 } }
        }
        return renamed
    }
}
