import Effects
import MediaIO
import Pipeline
import Raster
package import Reactions

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
