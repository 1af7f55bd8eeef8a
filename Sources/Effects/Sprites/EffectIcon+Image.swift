package import Raster

extension EffectLibrary {
    /// The picture that stands for an effect where somebody chooses one: the sprite of its icon, or
    /// else the first that it uses, in its colour.
    ///
    /// - Parameter height: its height in pixels; the width follows.
    /// - Returns: `nil` for an effect without sprites.
    /// - Throws: what the rasterizer does.
    package func iconImage(
        of type: String, height: Int, rasterizer: SpriteRasterizer
    ) throws -> RGBAImage? {
        guard let description = descriptions[type] else { return nil }
        let sprite = description.icon?.sprite ?? description.emitters.lazy.compactMap(\.look.sprite).first
        guard let sprite, let source = sprites[sprite] else { return nil }
        let width = max(1, Int((Double(height) * SpriteCheck.aspectRatio(ofSVG: source)).rounded()))
        let image = try rasterizer(source, width, height)
        guard let colour = description.icon?.colour else { return image }
        return EffectSprites.tinted(image, colour)
    }
}
