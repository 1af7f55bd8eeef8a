import FoundationEssentials
import Lettering
package import Reactions

/// The effects and their sprites: those of an assets folder (`Reactions/*.json`, `Sprites/*.svg`), and custom effects.
/// A value that is loaded before a run and does not change during it.
package struct EffectLibrary: Sendable {
    /// The descriptions by type.
    package internal(set) var descriptions: [String: EffectDescription]
    /// The contents of sprites' files, by their names in the descriptions.
    package internal(set) var sprites: [String: [UInt8]]
    /// The shaped texts that are shown as sprites, by their names in the descriptions.
    private(set) var texts: [String: TextSprite] = [:]
    /// The fonts of texts.
    private var fonts = FontCollection(assets: nil, folders: [])

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
        fonts = FontCollection(
            assets: folder, folders: FontCollection.systemFolders(environment: ProcessInfo.processInfo.environment))
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
    package static var greatestPacks: Int { 100 }
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

    /// Returns the pack in a folder that contains an effect. A second effect of this name would prevent reading the
    /// folder.
    ///
    /// - Throws: ``EffectError`` if the folder cannot be read.
    package static func pack(with effect: String, in folder: String) throws(EffectError) -> String? {
        if !EffectFile.exists(folder) { return nil }
        return try packs(in: folder).first { EffectFile.exists("\(folder)/\($0)/\(effect).json") }
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
        try addDescriptions(in: folder + "/" + pack, remedy: "remove the pack: flourish packs --remove \(pack)")
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
            try add(
                description, json: EffectFile.read(folder + "/" + name), file: folder + "/" + name, from: folder)
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
        try add(description, json: json, file: file, from: folder)
        return description.type
    }

    private mutating func add(
        _ description: EffectDescription, json: [UInt8], file: String, from folder: String
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
                    "the sprite of \(description.type) is missing; put it beside the description or in Sprites, as .svg, .png, .webp or .gif"
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
        try checkAnimations(of: description, paths)
        if let name = description.sound {
            let (sound, file) = try EffectSound.named(name, of: description.type, in: folder)
            sounds[description.type] = sound
            hash.add(file)
        } else {
            sounds[description.type] = nil
        }
        hashes[description.type] = hash.text
        for request in description.textRequests where texts[request.name] == nil {
            do {
                texts[request.name] = try TextSprite(
                    request.text, isTinted: request.isTinted, fonts: fonts, beside: folder)
            } catch {
                throw EffectError(file: file, key: "text", message: error.description)
            }
        }
        let named = description.renamingSprites(paths) { name in
            texts[name]?.aspectRatio ?? sprites[name].map(SpriteFormat.aspectRatio) ?? 1
        }
        if let fault = EffectLimits.fault(in: named) { throw EffectError(file: file, message: fault) }
        descriptions[description.type] = named
    }
}

extension EffectLibrary {
    /// Returns the width over the height of a text that is shown as a sprite.
    ///
    /// - Throws: `TextFault` if it cannot be shown.
    package func aspectRatio(ofText text: String) throws(TextFault) -> Double {
        try TextSprite(EffectText(text), isTinted: false, fonts: fonts, beside: nil).aspectRatio
    }

    /// Adds the effect of a reaction that shows words; does nothing for other types.
    ///
    /// - Throws: `TextFault` if the words cannot be shown.
    package mutating func add(wordsOf type: ReactionType) throws(TextFault) {
        guard let words = type.text, descriptions[type.rawValue] == nil else { return }
        if let fault = WordsEffect.fault(in: words) { throw TextFault(fault) }
        let request = TextRequest(text: WordsEffect.text(words), isTinted: false)
        let sprite = try TextSprite(request.text, isTinted: false, fonts: fonts, beside: nil)
        texts[request.name] = sprite
        do {
            let plain = try WordsEffect.description(
                of: type, words: words, lines: sprite.lineCount, aspectRatio: sprite.aspectRatio)
            var named = plain.renamingSprites(["words": request.name]) { _ in sprite.aspectRatio }
            named.icon?.sprite = request.name
            named.icon?.spriteAspect = sprite.aspectRatio
            descriptions[type.rawValue] = named
        } catch { throw TextFault(error.description) }
    }

    /// Checks the memory of an effect's animations: each colour of one needs a copy.
    private func checkAnimations(of description: EffectDescription, _ paths: [String: String]) throws(EffectError) {
        var tints = Set(description.emitters.flatMap { $0.tintedSprites() }.map(\.tint))
        if let icon = description.icon, let sprite = icon.sprite {
            tints.insert(TintedSprite(sprite: sprite, colour: icon.colour))
        }
        var size = 0
        for tint in tints {
            guard let path = paths[tint.sprite], let file = sprites[path],
                let animation = try? AnimatedSprite(file, format: SpriteFormat(of: file)), animation.frames.count > 1
            else { continue }
            size += animation.size
        }
        if size > AnimatedSprite.greatestSize {
            throw EffectError(
                file: description.type + ".json",
                message:
                    "its animated sprites take \(size >> 20) MiB when decoded, once for each colour; the limit is \(AnimatedSprite.greatestSize >> 20) MiB"
            )
        }
    }
}

/// A text of a description, and whether its particles have colours.
private struct TextRequest: Hashable {
    var text: EffectText
    var isTinted: Bool

    /// The name of the text's sprite, which no file has.
    var name: String { "text:\(isTinted):\(text)" }
}

extension EmitterAppearance {
    fileprivate var textRequest: TextRequest? {
        text.map { TextRequest(text: $0, isTinted: !colours.isEmpty || inheritColour) }
    }
}

extension EffectDescription {
    fileprivate var textRequests: Set<TextRequest> {
        var requests = Set(emitters.flatMap(\.textRequests))
        if let icon, let text = icon.text { requests.insert(TextRequest(text: text, isTinted: icon.colour != nil)) }
        return requests
    }
}

extension EffectEmitter {
    fileprivate var textRequests: [TextRequest] {
        [appearance.textRequest].compactMap(\.self) + children.flatMap(\.textRequests)
    }
}

/// A sprite in one colour.
struct TintedSprite: Hashable {
    var sprite: String
    var colour: EffectColour?
}

extension EffectEmitter {
    /// Returns the sprites of the emitter and of its descendants in their colours.
    ///
    /// - Parameter inherited: The colours of the parent's particles.
    func tintedSprites(_ inherited: [EffectColour] = []) -> [(tint: TintedSprite, emitter: EffectEmitter)] {
        let colours = appearance.inheritColour ? inherited : appearance.colours
        let tints: [EffectColour?] = colours.isEmpty ? [appearance.inheritColour ? .white : nil] : colours
        let own = appearance.sprite.map { name in tints.map { (TintedSprite(sprite: name, colour: $0), self) } } ?? []
        return own + children.flatMap { $0.tintedSprites(colours) }
    }
}

extension EffectDescription {
    /// - Parameter aspectRatio: Returns the aspect ratio of a sprite by its new name.
    fileprivate func renamingSprites(
        _ names: [String: String], aspectRatio: (String) -> Double
    ) -> EffectDescription {
        var renamed = self
        if let sprite = icon?.sprite { renamed.icon?.sprite = names[sprite] ?? sprite }
        if let icon, let text = icon.text {
            renamed.icon?.sprite = TextRequest(text: text, isTinted: icon.colour != nil).name
        }
        if let sprite = renamed.icon?.sprite { renamed.icon?.spriteAspect = aspectRatio(sprite) }
        renamed.emitters = emitters.map { emitter in
            emitter.changed { _, appearance in
                appearance.sprite = appearance.textRequest?.name ?? appearance.sprite.map { names[$0] ?? $0 }
                appearance.spriteAspect = appearance.sprite.map(aspectRatio) ?? 1
            }
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
