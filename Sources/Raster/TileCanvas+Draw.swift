extension TileCanvas {
    /// Draws a shape in one colour.
    ///
    /// - Parameter placement: carries the shape's square −1…1 to stored pixels.
    /// - Complexity: linear in the pixels covered. Shapes outside cost nothing.
    package mutating func draw(
        _ shape: TileShape, placed placement: AffineTransform, colour: TileColour
    ) {
        guard let outline = TileOutline(placement, round: shape.isRound, within: self) else { return }
        commands.append(TileCommand(outline: outline, paint: .shape(shape, colour)))
    }

    /// Draws a beam of light: a wide soft glow and, in it, a core of another colour. Both add.
    ///
    /// - Parameters:
    ///   - spread: how wide the glow is where the beam begins (at −1), as a share of its end.
    ///   - phase: moves the smoke along.
    ///   - coreWidth: the core's share of the whole width.
    package mutating func drawBeam(
        placed placement: AffineTransform, spread: Double, phase: Double, coreWidth: Double,
        glow: TileColour, core: TileColour
    ) {
        guard let outline = TileOutline(placement, round: false, within: self) else { return }
        let shape = TileShape.beam(spread: Float(spread), phase: Float(phase), core: Float(coreWidth))
        commands.append(TileCommand(outline: outline, paint: .beam(shape, glow, core)))
    }

    /// Carries a command out on the rows of the band that begins at row `top`.
    mutating func execute(_ command: TileCommand, top: Int) {
        let outline = command.outline
        let rows = outline.rows.clamped(to: top..<top + Self.tileHeight)
        switch command.paint {
        case .shape(let shape, let colour):
            for y in rows {
                let columns = outline.columns(inRow: y)
                if columns.isEmpty { continue }
                touch(columns)
                fillCoverage(shape, outline.coverage(at: columns.lowerBound, y), count: columns.count)
                lay(colour, at: (y - top) * stride + columns.lowerBound, count: columns.count)
            }
        case .beam(let shape, let glow, let core):
            for y in rows {
                let columns = outline.columns(inRow: y)
                if columns.isEmpty { continue }
                touch(columns)
                let (start, n) = ((y - top) * stride + columns.lowerBound, columns.count)
                fillCoverage(shape, outline.coverage(at: columns.lowerBound, y), count: n)
                TileRows.add(red, start, n, weights: coverage, glow.red, and: spriteRed, core.red)
                TileRows.add(green, start, n, weights: coverage, glow.green, and: spriteRed, core.green)
                TileRows.add(blue, start, n, weights: coverage, glow.blue, and: spriteRed, core.blue)
            }
        case .sprite(let sprite):
            for y in rows {
                let columns = outline.columns(inRow: y)
                if columns.isEmpty { continue }
                touch(columns)
                sample(sprite, x: columns.lowerBound, y: y, count: columns.count)
                lay(sprite, at: (y - top) * stride + columns.lowerBound, count: columns.count)
            }
        }
    }

    private func fillCoverage(_ shape: TileShape, _ c: TileCoverage, count: Int) {
        let n = TileRows.rounded(count)
        var row = unsafe UnsafeMutableBufferPointer(start: coverage.samples(from: 0, n), count: n).mutableSpan
        switch shape {
        case .glow(let halo):
            let shift = c.stepShift
            if shift == 0 {
                c.glow(&row, halo: halo)
            } else {
                let m = TileRows.rounded((count - 1) >> shift + 2)
                var points = unsafe UnsafeMutableBufferPointer(start: spriteRed.samples(from: 0, m), count: m)
                    .mutableSpan
                c.every(1 << shift).glow(&points, halo: halo)
                TileRows.stretch(spriteRed, shift, into: coverage, count)
            }
        case .disc(let slope): c.disc(&row, slope: slope)
        case .ring(let radius, let slope): c.ring(&row, radius: radius, slope: slope)
        case .paper(let slopeU, let slopeV): c.paper(&row, slopeU: slopeU, slopeV: slopeV)
        case .streak(let tail, let slope): c.streak(&row, tail: tail, slope: slope)
        case .beam(let spread, let phase, let core):
            var bright = unsafe UnsafeMutableBufferPointer(start: spriteRed.samples(from: 0, n), count: n)
                .mutableSpan
            c.beam(&row, &bright, spread: spread, phase: phase, core: core)
            for i in count..<n { bright[i] = 0 }
        case .box(let halfWidth, let halfHeight, let radius):
            c.box(&row, halfWidth: halfWidth, halfHeight: halfHeight, radius: radius)
        case .arc(let radius, let halfWidth, let sine, let cosine):
            c.arc(&row, radius: radius, halfWidth: halfWidth, sine: sine, cosine: cosine)
        case .sparkle: c.sparkle(&row)
        }
        // A shape may go on beyond the picture's edge; the rounded row must not.
        for i in count..<n { row[i] = 0 }
    }

    /// Lays a colour over a row, weighted by the coverage computed for it.
    private func lay(_ colour: TileColour, at start: Int, count: Int) {
        if colour.alpha == 0 {
            TileRows.add(red, start, count, weights: coverage, colour.red)
            TileRows.add(green, start, count, weights: coverage, colour.green)
            TileRows.add(blue, start, count, weights: coverage, colour.blue)
        } else {
            TileRows.over(red, start, count, weights: coverage, colour.red, colour.alpha)
            TileRows.over(green, start, count, weights: coverage, colour.green, colour.alpha)
            TileRows.over(blue, start, count, weights: coverage, colour.blue, colour.alpha)
            TileRows.over(alpha, start, count, weights: coverage, colour.alpha, colour.alpha)
        }
    }
}

extension TileShape {
    /// Whether the shape fills no more than the disc in its square.
    var isRound: Bool {
        switch self {
        case .glow, .disc, .ring, .arc: true
        case .paper, .streak, .beam, .box, .sparkle: false
        }
    }
}
