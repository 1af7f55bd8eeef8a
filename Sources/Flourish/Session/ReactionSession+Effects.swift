import Effects
import MediaIO
import Pipeline
package import Platform
import Raster
package import Reactions

/// Renders icons of reaction types as PNG, from the sprites of their effects.
extension ReactionSession {
    /// Returns an icon of a type for a user interface, as the bytes of a PNG file with a transparent background, made
    /// from the effect's own sprites.
    ///
    /// - Parameters:
    ///   - reactionType: the type.
    ///   - height: the picture's height in pixels.
    /// - Returns: `nil` for a type that cannot be shown or has no sprite.
    /// - Throws: ``FlourishError``.
    public func pngIcon(for reactionType: ReactionType, height: Int = 96) throws(FlourishError) -> [UInt8]? {
        let catalog = try EffectCatalog(resources: resources)
        do {
            return try catalog.library.iconImage(of: reactionType.rawValue, height: height) { svg, width, height in
                try RGBAImage.sprite(svg, width: width, height: height)
            }?.pngBytes()
        } catch {
            throw FlourishError(describing: error)
        }
    }
}

/// The effects of a session in the form in which a web page draws them. Read once; a value afterwards.
package struct PageEffects: Sendable {
    private let catalog: EffectCatalog
    private let seed: UInt64
    /// The names of all sprites; a page knows them by their numbers.
    private let sprites: [String]

    fileprivate init(_ catalog: EffectCatalog, seed: UInt64) {
        self.catalog = catalog
        self.seed = seed
        sprites = catalog.library.spriteNames
    }

    /// The number of sprites.
    package var spriteCount: Int { sprites.count }

    /// Returns the descriptions of all effects in a style, as JSON.
    ///
    /// - Parameter spritePath: Returns the path of a sprite on the page's server.
    package func json(in style: ReactionStyle, spritePath: (Int) -> String) -> String {
        let numbers = Dictionary(uniqueKeysWithValues: sprites.enumerated().map { ($1, $0) })
        let effects = catalog.styled(style).library.descriptions.mapValues { description in
            description.json { numbers[$0] ?? -1 }
        }
        return JSONLine.encode(
            JSONValue.object([
                // A number of JavaScript has only 53 bits.
                "seed": .text("\(seed)"), "sprites": .array(sprites.indices.map { .text(spritePath($0)) }),
                "effects": .object(effects),
            ]))
    }

    /// Returns a sprite as the bytes of a PNG file with a transparent background.
    ///
    /// - Parameter height: The picture's height in pixels.
    /// - Returns: `nil` if the sprite cannot be drawn.
    package func spritePNG(_ number: Int, height: Int) -> [UInt8]? {
        guard sprites.indices.contains(number) else { return nil }
        let image = try? catalog.library.spriteImage(sprites[number], height: height) { file, width, height in
            try RGBAImage.sprite(file, width: width, height: height)
        }
        return try? image?.pngBytes()
    }
}

extension ReactionSession {
    /// Reads the effects that the session can show, for a page that draws them.
    ///
    /// - Throws: ``FlourishError`` as ``filter(_:to:observer:)`` for the effects' files.
    package func pageEffects() throws(FlourishError) -> PageEffects {
        PageEffects(
            try EffectCatalog(resources: resources, naming: configuration.namedTypes), seed: configuration.seed)
    }
}

/// The files of custom effects, which may change while a program shows them.
extension ReactionSession {
    /// The maximum number of watched files of a folder.
    private static let greatestCount = 1000

    /// The extensions of watched files: descriptions, sprites, sounds and fonts.
    private static let endings = [".json", ".svg", ".png", ".webp", ".gif", ".wav", ".ogg", ".ttf", ".otf", ".ttc"]

    /// Returns the files in the folders of custom effects and of their packs: descriptions, sprites, sounds and fonts.
    /// Different stamps indicate a change.
    package func effectFileStamps() -> [String: FileStamp] {
        let roots = resources.effectFolders.flatMap { root in
            [root] + ((try? EffectLibrary.packs(in: root)) ?? []).map { root + "/" + $0 }
        }
        let files = roots.flatMap { [$0, $0 + "/Sprites", $0 + "/Sounds"] }.flatMap { folder in
            ((try? EffectFile.names(in: folder)) ?? [])
                .filter { name in !name.hasPrefix(".") && Self.endings.contains(where: name.hasSuffix) }
                .prefix(Self.greatestCount).map { folder + "/" + $0 }
        }
        return files.reduce(into: [:]) { $0[$1] = FileStamp(of: $1) }
    }
}
