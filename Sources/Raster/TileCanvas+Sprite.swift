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
        let scale = max(2 * across / Double(sprite.width), 2 * down / Double(sprite.height))
        let level = sprite.level(forScale: scale, blur: blur)
        // Reach out by half a texel, to where the edge has faded into the border.
        let grown = AffineTransform.scale(
            x: 1 + 1 / Double(level.width), y: 1 + 1 / Double(level.height)
        ).then(placement)
        guard opacity > 0, let outline = TileOutline(grown, round: false, within: self) else { return }
        let toTexels = placement.inverse.then(AffineTransform(
            a: Double(level.width) / 2, b: 0, c: 0, d: Double(level.height) / 2,
            tx: Double(level.width) / 2 - 0.5 + Double(TileSprite.border),
            ty: Double(level.height) / 2 - 0.5 + Double(TileSprite.border)))
        // 255 · 256 · 16449 / 2¹⁶ is 1 in the canvas's units.
        let paint = TileSpritePaint(
            level: level, toTexels: toTexels, alphaScale: UInt16((16449 * min(opacity, 1)).rounded()),
            colourScale: UInt16((16449 * min(opacity, 1) * min(max(brightness, 0), 1)).rounded()),
            stepShift: Self.stepShift(max(toTexels.a.magnitude, toTexels.b.magnitude)))
        commands.append(TileCommand(outline: outline, paint: .sprite(paint)))
    }

    /// How sparsely rows are sampled: a sprite that is drawn larger than its texels is
    /// linear between them, so that every second or fourth pixel tells the rest.
    ///
    /// - Parameter pace: texels from one pixel to the next.
    static func stepShift(_ pace: Double) -> Int { pace > 0.75 ? 0 : pace > 0.38 ? 1 : 2 }

    /// Lays the sampled row over the band.
    func lay(_ paint: TileSpritePaint, at start: Int, count: Int) {
        let (colour, alphaScale) = (paint.colourScale, paint.alphaScale)
        TileRows.over(red, start, count, values: spriteRed, colour, alphas: coverage, alphaScale)
        TileRows.over(green, start, count, values: spriteGreen, colour, alphas: coverage, alphaScale)
        TileRows.over(blue, start, count, values: spriteBlue, colour, alphas: coverage, alphaScale)
        TileRows.over(alpha, start, count, values: coverage, alphaScale, alphas: coverage, alphaScale)
    }

    private static var evenBytes: UInt64 { 0x00FF_00FF_00FF_00FF }

    /// Samples a row of pixels; what rounding the row up adds becomes transparent.
    func sample(_ paint: TileSpritePaint, x: Int, y: Int, count: Int) {
        let shift = paint.stepShift
        if shift == 0 {
            sample(paint, x: x, y: y, count, into: spriteRed, spriteGreen, spriteBlue, coverage)
        } else {
            // The averages' planes are free until the band is blended.
            let points = (count - 1) >> shift + 2
            sample(paint, x: x, y: y, points, into: smallRed, smallGreen, smallBlue, smallAlpha)
            TileRows.stretch(smallRed, shift, into: spriteRed, count)
            TileRows.stretch(smallGreen, shift, into: spriteGreen, count)
            TileRows.stretch(smallBlue, shift, into: spriteBlue, count)
            TileRows.stretch(smallAlpha, shift, into: coverage, count)
        }
    }

    /// Samples points of a row, each `1 << stepShift` pixels after the other.
    private func sample(
        _ paint: TileSpritePaint, x: Int, y: Int, _ count: Int, into red: borrowing TilePlane,
        _ green: borrowing TilePlane, _ blue: borrowing TilePlane, _ alpha: borrowing TilePlane
    ) {
        let level = paint.level
        // The walk through the texels, in 16.16 fixed point.
        let begin = paint.toTexels.apply(x: Double(x) + 0.5, y: Double(y) + 0.5)
        var px = Int(begin.x * 65536)
        var py = Int(begin.y * 65536)
        let dx = Int(paint.toTexels.a * 65536) << paint.stepShift
        let dy = Int(paint.toTexels.b * 65536) << paint.stepShift
        let n = TileRows.rounded(count)
        let r = unsafe red.samples(from: 0, n)
        let g = unsafe green.samples(from: 0, n)
        let b = unsafe blue.samples(from: 0, n)
        let a = unsafe alpha.samples(from: 0, n)
        let texels = level.texels.span
        let stride = level.stride
        let limit = texels.count - stride - 2
        precondition(limit >= 0)
        for i in 0..<count {
            // The border keeps indices inside; the limits only make that certain.
            let index = min(max((py &>> 16) &* stride &+ (px &>> 16), 0), limit)
            let fx = UInt64(truncatingIfNeeded: (px &>> 12) & 15)
            let fy = UInt64(truncatingIfNeeded: (py &>> 12) & 15)
            px &+= dx
            py &+= dy
            // A word holds two neighbours; its even bytes are their reds and blues, its odd
            // ones greens and alphas. Each has 16 bits for weights that sum to 256.
            let upper = unsafe UInt64(texels[unchecked: index])
                | UInt64(texels[unchecked: index &+ 1]) &<< 32
            let lower = unsafe UInt64(texels[unchecked: index &+ stride])
                | UInt64(texels[unchecked: index &+ stride &+ 1]) &<< 32
            let redBlue = (upper & Self.evenBytes) &* (16 &- fy) &+ (lower & Self.evenBytes) &* fy
            let greenAlpha = ((upper &>> 8) & Self.evenBytes) &* (16 &- fy)
                &+ ((lower &>> 8) & Self.evenBytes) &* fy
            let rb = (redBlue & 0xFFFF_FFFF) &* (16 &- fx) &+ (redBlue &>> 32) &* fx
            let ga = (greenAlpha & 0xFFFF_FFFF) &* (16 &- fx) &+ (greenAlpha &>> 32) &* fx
            unsafe r[i] = UInt16(truncatingIfNeeded: rb)
            unsafe g[i] = UInt16(truncatingIfNeeded: ga)
            unsafe b[i] = UInt16(truncatingIfNeeded: rb &>> 16)
            unsafe a[i] = UInt16(truncatingIfNeeded: ga &>> 16)
        }
        for i in count..<n {
            unsafe r[i] = 0
            unsafe g[i] = 0
            unsafe b[i] = 0
            unsafe a[i] = 0
        }
    }
}

/// A sprite's level, where its texels lie in the picture, and how strongly it shows.
struct TileSpritePaint {
    let level: TileSprite.Level
    let toTexels: AffineTransform
    let alphaScale, colourScale: UInt16
    /// Every so many pixels (as a power of two) are sampled, those between are interpolated.
    let stepShift: Int
}
