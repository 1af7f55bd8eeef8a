/// Blends a canvas row into a row of luma samples: y·(1 − α) + luma of the colour.
///
/// 8-bit pictures use 16-bit fixed point (code values with 7 more bits), deeper
/// ones single precision. Where the canvas is empty the sample stays exactly
/// the same. Light brightens no further than white, unless the sample was there already.
struct BlendLuma {
    private let red, green, blue, scale, offset, white: UInt16
    private let deep: (red: Float, green: Float, blue: Float, scale: Float, offset: Float, white: Float)

    init(_ k: BlendCoefficients, bitDepth: Int) {
        // Colours of 2¹⁴ are doubled and multiplied to the high 16 bits: 2¹⁵ · k / 2¹⁶ = 2⁷ · code.
        func fixed(_ code: Double) -> UInt16 { bitDepth > 8 ? 0 : UInt16((code * 256).rounded()) }
        let scale = k.lumaRed + k.lumaGreen + k.lumaBlue
        red = fixed(k.lumaRed)
        green = fixed(k.lumaGreen)
        blue = fixed(k.lumaBlue)
        self.scale = fixed(scale)
        offset = fixed(k.lumaOffset)
        white = bitDepth > 8 ? 0 : UInt16(k.white * 128)
        let one = Double(TileGrid.one)
        deep = (
            Float(k.lumaRed / one), Float(k.lumaGreen / one), Float(k.lumaBlue / one), Float(scale / one),
            Float(k.lumaOffset / one), Float(k.white)
        )
    }

    /// A sum of 2⁷ · code as a byte, no brighter than white or what was `under` it.
    @inline(__always)
    private func byte(_ under: UInt16, _ over: UInt16) -> UInt8 {
        let limit = under > white ? under : white
        let sum = under &+ over
        return UInt8(truncatingIfNeeded: ((sum < limit ? sum : limit) &+ 64) &>> 7)
    }

    /// The same for deeper samples. Adding 2²³ rounds and leaves the value in the low bits.
    @inline(__always)
    private func word(_ under: Float, _ over: Float) -> UInt16 {
        let limit = under > deep.white ? under : deep.white
        let sum = under + over
        return UInt16(truncatingIfNeeded: ((sum < limit ? sum : limit) + 8_388_608).bitPattern)
    }

    func blend(
        _ row: inout MutableSpan<UInt8>, _ r: Span<UInt16>, _ g: Span<UInt16>, _ b: Span<UInt16>,
        _ a: Span<UInt16>
    ) {
        let n = row.count
        precondition(r.count == n && g.count == n && b.count == n && a.count == n)
        for i in 0..<n {
            let under = TileRows.high(UInt16(row[i]) &<< 8, (TileGrid.one &- a[i]) &<< 1)
            let over =
                TileRows.high(r[i] &<< 1, red) &+ TileRows.high(g[i] &<< 1, green)
                &+ TileRows.high(b[i] &<< 1, blue) &+ TileRows.high(a[i] &<< 1, offset)
            row[i] = byte(under, over)
        }
    }

    func blend(
        _ row: inout MutableSpan<UInt16>, _ r: Span<UInt16>, _ g: Span<UInt16>, _ b: Span<UInt16>,
        _ a: Span<UInt16>
    ) {
        let n = row.count
        precondition(r.count == n && g.count == n && b.count == n && a.count == n)
        let inverse = 1 / Float(TileGrid.one)
        for i in 0..<n {
            let under = Float(row[i]) * (1 - Float(a[i]) * inverse)
            let over =
                Float(r[i]) * deep.red + Float(g[i]) * deep.green + Float(b[i]) * deep.blue
                + Float(a[i]) * deep.offset
            row[i] = word(under, over)
        }
    }

    /// Adds light, of which only the luma is given.
    func add(_ light: Span<UInt16>, to row: inout MutableSpan<UInt8>) {
        let n = row.count
        precondition(light.count == n)
        for i in 0..<n { row[i] = byte(UInt16(row[i]) &<< 7, TileRows.high(light[i] &<< 1, scale)) }
    }

    func add(_ light: Span<UInt16>, to row: inout MutableSpan<UInt16>) {
        let n = row.count
        precondition(light.count == n)
        for i in 0..<n { row[i] = word(Float(row[i]), Float(light[i]) * deep.scale) }
    }
}
