extension TileCanvas {
    /// Draws a shape in one colour.
    ///
    /// - Parameters:
    ///   - placement: carries the shape's square −1…1 to stored pixels.
    ///   - strength: scales colour and alpha, 0…1.
    /// - Complexity: linear in the pixels covered. Shapes outside cost nothing.
    package mutating func draw(
        _ shape: TileShape, placed placement: AffineTransform, colour: TileColour
    ) {
        guard let outline = TileOutline(placement, round: shape.isRound, within: self) else { return }
        for y in outline.rows {
            let columns = outline.columns(inRow: y)
            if columns.isEmpty { continue }
            touch(columns, row: y)
            fillCoverage(shape, outline.coverage(at: columns.lowerBound, y), count: columns.count)
            lay(colour, at: y * stride + columns.lowerBound, count: columns.count)
        }
    }

    private mutating func fillCoverage(_ shape: TileShape, _ c: TileCoverage, count: Int) {
        var all = coverage.mutableSpan
        var row = all._mutatingExtracting(0..<count)
        switch shape {
        case .glow(let halo): c.glow(&row, halo: halo)
        case .disc(let slope): c.disc(&row, slope: slope)
        case .ring(let radius, let slope): c.ring(&row, radius: radius, slope: slope)
        case .paper(let slopeU, let slopeV): c.paper(&row, slopeU: slopeU, slopeV: slopeV)
        case .streak(let tail, let slope): c.streak(&row, tail: tail, slope: slope)
        case .beam(let spread, let core, let phase):
            c.beam(&row, spread: spread, core: core, phase: phase)
        case .sparkle: c.sparkle(&row)
        }
    }

    /// Lays a colour over a row, weighted by the coverage computed for it.
    private mutating func lay(_ colour: TileColour, at start: Int, count: Int) {
        if colour.alpha == 0 {
            TileRows.add(&red, start, coverage, count, colour.red)
            TileRows.add(&green, start, coverage, count, colour.green)
            TileRows.add(&blue, start, coverage, count, colour.blue)
        } else {
            TileRows.over(&red, start, coverage, count, colour.red, colour.alpha)
            TileRows.over(&green, start, coverage, count, colour.green, colour.alpha)
            TileRows.over(&blue, start, coverage, count, colour.blue, colour.alpha)
            TileRows.over(&alpha, start, coverage, count, colour.alpha, colour.alpha)
        }
    }
}

extension TileShape {
    /// Whether the shape fills no more than the disc in its square.
    var isRound: Bool {
        switch self {
        case .glow, .disc, .ring: true
        case .paper, .streak, .beam, .sparkle: false
        }
    }
}

/// The arithmetic of one channel's row: 1 is 2¹⁴ and weights have 16 bits.
///
/// (x · y) >> 16 of 16-bit values is a single vector instruction everywhere.
enum TileRows {
    @inline(__always)
    static func high(_ x: UInt16, _ y: UInt16) -> UInt16 {
        UInt16(truncatingIfNeeded: (UInt32(x) &* UInt32(y)) &>> 16)
    }

    /// Adds light, up to white.
    @inline(__always)
    static func add(
        _ channel: inout [UInt16], _ start: Int, _ coverage: [UInt16], _ count: Int, _ value: UInt16
    ) {
        let weights = coverage.span.extracting(0..<count)
        var span = channel.mutableSpan
        var row = span._mutatingExtracting(start..<start + count)
        for i in 0..<count {
            let sum = row[i] &+ high(weights[i], value)
            row[i] = sum < TileCanvas.one ? sum : TileCanvas.one
        }
    }

    /// Lays a premultiplied value over what is there: s + d·(1 − α).
    @inline(__always)
    static func over(
        _ channel: inout [UInt16], _ start: Int, _ coverage: [UInt16], _ count: Int,
        _ value: UInt16, _ alpha: UInt16
    ) {
        let weights = coverage.span.extracting(0..<count)
        var span = channel.mutableSpan
        var row = span._mutatingExtracting(start..<start + count)
        for i in 0..<count {
            let through = (TileCanvas.one &- high(weights[i], alpha)) &<< 1
            let sum = high(row[i] &<< 1, through) &+ high(weights[i], value)
            row[i] = sum < TileCanvas.one ? sum : TileCanvas.one
        }
    }
}
