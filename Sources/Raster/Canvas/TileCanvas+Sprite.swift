extension TileCanvas {
    /// Draws a sprite, filtered bilinearly.
    ///
    /// - Parameters:
    ///   - placement: carries the square −1…1 (the whole sprite) to stored pixels.
    ///   - opacity: 0…1.
    ///   - brightness: scales the colours, 0…1; lower for what is in the shade.
    ///   - blur: draws from a level that many times smaller by half, softly.
    package mutating func draw(
        _ sprite: TileSprite, placed placement: AffineTransform, opacity: Double,
        brightness: Double = 1, blur: Double = 0
    ) {
        let across = (placement.a * placement.a + placement.b * placement.b).squareRoot()
        let down = (placement.c * placement.c + placement.d * placement.d).squareRoot()
        let (scaleX, scaleY) = (2 * across / Double(sprite.width), 2 * down / Double(sprite.height))
        // What is well out of focus is worth so few texels both ways that it can be drawn coarsely.
        let scale = blur < 1 ? max(scaleX, scaleY) : min(scaleX, scaleY)
        let level = sprite.level(forScale: scale, blur: blur)
        // Reach out by half a texel, to where the edge has faded into the border.
        let grown = AffineTransform.scale(
            x: 1 + 1 / Double(level.width), y: 1 + 1 / Double(level.height)
        ).then(placement)
        let toTexels = placement.inverse.then(
            AffineTransform(
                a: Double(level.width) / 2, b: 0, c: 0, d: Double(level.height) / 2,
                tx: Double(level.width) / 2 - 0.5 + Double(TileSprite.border),
                ty: Double(level.height) / 2 - 0.5 + Double(TileSprite.border)))
        // A sprite that is drawn larger than its texels is linear between them, so that every
        // second or fourth pixel tells the rest.
        let pace = max(toTexels.a.magnitude, toTexels.b.magnitude)
        let isCoarse = max(pace, toTexels.c.magnitude, toTexels.d.magnitude) <= (blur < 1 ? 0.38 : 0.5)
        // 255 · 256 · 16449 / 2¹⁶ is 1 in the canvas's units.
        let paint = TileSpritePaint(
            level: level, toTexels: toTexels, alphaScale: UInt16((16449 * min(opacity, 1)).rounded()),
            colourScale: UInt16(
                (16449 * min(opacity, 1) * encoding.encode(grey: min(max(brightness, 0), 1))).rounded()),
            every: pace > 0.38 && pace <= 0.75 ? 2 : 1)
        guard opacity > 0,
            let outline = TileOutline(grown, round: false, within: (width, height), coarse: { _ in isCoarse })
        else { return }
        add(TileCommand(outline: outline, paint: .sprite(paint)))
    }
}
