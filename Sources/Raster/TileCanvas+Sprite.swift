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
        let alphaScale = UInt16((16449 * min(opacity, 1)).rounded())
        let colourScale = UInt16((16449 * min(opacity, 1) * min(max(brightness, 0), 1)).rounded())
        for y in outline.rows {
            let columns = outline.columns(inRow: y)
            if columns.isEmpty { continue }
            touch(columns, row: y)
            let p = toTexels.apply(x: Double(columns.lowerBound) + 0.5, y: Double(y) + 0.5)
            let row = SpriteRow(
                x: Int((p.x * 65536).rounded()), y: Int((p.y * 65536).rounded()),
                dx: Int((toTexels.a * 65536).rounded()), dy: Int((toTexels.b * 65536).rounded()))
            row.lay(
                level, &red, &green, &blue, &alpha,
                y * stride + columns.lowerBound..<y * stride + columns.upperBound,
                alphaScale, colourScale)
        }
    }
}

/// A row's walk through a sprite's texels, in 16.16 fixed point.
struct SpriteRow {
    var x, y, dx, dy: Int

    /// Samples a pixel for each element of `range` and lays it over the canvas's channels there.
    func lay(
        _ level: TileSprite.Level, _ redRows: inout [UInt16], _ greenRows: inout [UInt16],
        _ blueRows: inout [UInt16], _ alphaRows: inout [UInt16], _ range: Range<Int>,
        _ alphaScale: UInt16, _ colourScale: UInt16
    ) {
        let texels = level.texels.span
        let stride = level.stride
        let limit = texels.count - stride - 2
        var redSpan = redRows.mutableSpan
        var red = redSpan._mutatingExtracting(range)
        var greenSpan = greenRows.mutableSpan
        var green = greenSpan._mutatingExtracting(range)
        var blueSpan = blueRows.mutableSpan
        var blue = blueSpan._mutatingExtracting(range)
        var alphaSpan = alphaRows.mutableSpan
        var alpha = alphaSpan._mutatingExtracting(range)
        var (px, py) = (x, y)
        for i in 0..<range.count {
            let index = min(max((py >> 16) * stride + (px >> 16), 0), limit)
            let fx = UInt64((px >> 12) & 15)
            let fy = UInt64((py >> 12) & 15)
            px &+= dx
            py &+= dy
            // Four weights that sum to 256 keep each 8-bit channel within its 16 bits.
            let upper = texels[index] &* ((16 &- fx) &* (16 &- fy))
                &+ texels[index &+ 1] &* (fx &* (16 &- fy))
            let lower = texels[index &+ stride] &* ((16 &- fx) &* fy)
                &+ texels[index &+ stride &+ 1] &* (fx &* fy)
            let word = upper &+ lower
            if word == 0 { continue }
            let a = TileRows.high(UInt16(truncatingIfNeeded: word &>> 48), alphaScale)
            let through = (TileCanvas.one &- a) &<< 1
            alpha[i] = a &+ TileRows.high(alpha[i] &<< 1, through)
            red[i] = Self.mix(red[i], UInt16(truncatingIfNeeded: word), colourScale, through)
            green[i] = Self.mix(green[i], UInt16(truncatingIfNeeded: word &>> 16), colourScale, through)
            blue[i] = Self.mix(blue[i], UInt16(truncatingIfNeeded: word &>> 32), colourScale, through)
        }
    }

    @inline(__always)
    private static func mix(_ under: UInt16, _ value: UInt16, _ scale: UInt16, _ through: UInt16) -> UInt16 {
        min(TileRows.high(under &<< 1, through) &+ TileRows.high(value, scale), TileCanvas.one)
    }
}
