package import Raster

/// The sprites of an effect, drawn ahead of the first frame that shows them.
///
/// Drawing them from SVG takes several milliseconds each, too long for one frame. They are the same
/// whether they are drawn ahead or when they are needed.
package struct PreparedSprites: Sendable {
    let sprites: [EffectSprites.Name: TileSprite]

    /// Draws all sprites of an effect. What cannot be drawn is left out: the first frame that
    /// needs it says why.
    ///
    /// - Parameters:
    ///   - geometry, format: of the pictures that the effect will be drawn on.
    package init(
        of description: EffectDescription, library: EffectLibrary, rasterizer: @escaping SpriteRasterizer,
        geometry: DisplayGeometry, format: PictureFormat
    ) {
        var sprites = EffectSprites(sources: library.sprites, rasterize: rasterizer)
        sprites.encoding = ColourEncoding(format)
        for emitter in description.emitters {
            try? sprites.prepare(emitter, unit: geometry.uprightHeight)
        }
        self.sprites = sprites.sprites
    }
}

extension EffectEmitter {
    /// How often a sprite is halved because even its sharpest particles are out of focus.
    var spriteHalvings: Int {
        let depth = min(max(0.6, motion.depth.least), motion.depth.greatest)
        return Int((look.blur * (depth - 0.6).magnitude).rounded(.down))
    }

    /// How high its sprite is drawn from SVG, in pixels of a picture whose height is `unit`.
    func spritePixels(unit: Double) -> Double {
        let largest = look.size.greatest * (look.sizeOverLife.max() ?? 1)
        return largest * unit / Double(1 << spriteHalvings)
    }
}
