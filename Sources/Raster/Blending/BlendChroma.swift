/// Blends a canvas row, already at the chroma planes' size, into a row of one chroma plane.
///
/// One primary (blue for Cb, red for Cr) raises the code value, the other two
/// lower it; fixed-point sums are biased so that they stay positive.
struct BlendChroma {
    private let rising, firstFalling, secondFalling, offset, bias: UInt16
    private let deep: (rising: Float, first: Float, second: Float, offset: Float, greatest: Float)

    /// - Parameters: the code values that the full primaries add, in the order rising, falling, falling.
    init(_ rising: Double, _ first: Double, _ second: Double, _ k: BlendCoefficients, bitDepth: Int) {
        func fixed(_ code: Double) -> UInt16 {
            bitDepth > 8 ? 0 : UInt16((code.magnitude * 256).rounded())
        }
        self.rising = fixed(rising)
        firstFalling = fixed(first)
        secondFalling = fixed(second)
        offset = fixed(k.chromaOffset)
        bias = bitDepth > 8 ? 0 : UInt16((rising * 128).rounded(.up)) + 2
        let one = Double(TileGrid.one)
        deep = (
            Float(rising / one), Float(first / one), Float(second / one),
            Float(k.chromaOffset / one), Float(k.greatest)
        )
    }

    /// What is under a colour and the colour, as a byte.
    @inline(__always)
    private func byte(_ under: UInt16, _ up: UInt16, _ down1: UInt16, _ down2: UInt16) -> UInt8 {
        let sum =
            under &+ bias &+ TileRows.high(up &<< 1, rising)
            &- TileRows.high(down1 &<< 1, firstFalling) &- TileRows.high(down2 &<< 1, secondFalling)
        let floored = (sum > bias ? sum : bias) &- bias
        return UInt8(truncatingIfNeeded: ((floored < 32640 ? floored : 32640) &+ 64) &>> 7)
    }

    /// The same for deeper samples.
    @inline(__always)
    private func word(_ under: Float, _ up: UInt16, _ down1: UInt16, _ down2: UInt16) -> UInt16 {
        let sum = under + Float(up) * deep.rising + Float(down1) * deep.first + Float(down2) * deep.second
        let floored = sum > 0 ? sum : 0
        let value = floored < deep.greatest ? floored : deep.greatest
        return UInt16(truncatingIfNeeded: (value + 8_388_608).bitPattern)
    }

    func blend(
        _ row: inout MutableSpan<UInt8>, _ up: Span<UInt16>, _ down1: Span<UInt16>, _ down2: Span<UInt16>,
        _ a: Span<UInt16>
    ) {
        let n = row.count
        precondition(up.count == n && down1.count == n && down2.count == n && a.count == n)
        for i in 0..<n {
            let under =
                TileRows.high(UInt16(row[i]) &<< 8, (TileGrid.one &- a[i]) &<< 1)
                &+ TileRows.high(a[i] &<< 1, offset)
            row[i] = byte(under, up[i], down1[i], down2[i])
        }
    }

    func blend(
        _ row: inout MutableSpan<UInt16>, _ up: Span<UInt16>, _ down1: Span<UInt16>, _ down2: Span<UInt16>,
        _ a: Span<UInt16>
    ) {
        let n = row.count
        precondition(up.count == n && down1.count == n && down2.count == n && a.count == n)
        let inverse = 1 / Float(TileGrid.one)
        for i in 0..<n {
            let under = Float(row[i]) * (1 - Float(a[i]) * inverse) + Float(a[i]) * deep.offset
            row[i] = word(under, up[i], down1[i], down2[i])
        }
    }

    /// Adds light.
    func add(_ up: Span<UInt16>, _ down1: Span<UInt16>, _ down2: Span<UInt16>, to row: inout MutableSpan<UInt8>) {
        let n = row.count
        precondition(up.count == n && down1.count == n && down2.count == n)
        for i in 0..<n { row[i] = byte(UInt16(row[i]) &<< 7, up[i], down1[i], down2[i]) }
    }

    func add(_ up: Span<UInt16>, _ down1: Span<UInt16>, _ down2: Span<UInt16>, to row: inout MutableSpan<UInt16>) {
        let n = row.count
        precondition(up.count == n && down1.count == n && down2.count == n)
        for i in 0..<n { row[i] = word(Float(row[i]), up[i], down1[i], down2[i]) }
    }
}
