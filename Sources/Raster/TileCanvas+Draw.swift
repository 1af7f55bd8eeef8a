extension TileCanvas {
    /// Draws a shape in one colour.
    ///
    /// - Parameter placement: carries the shape's square −1…1 to stored pixels.
    /// - Complexity: linear in the pixels covered. Shapes outside cost nothing.
    package mutating func draw(
        _ shape: TileShape, placed placement: AffineTransform, colour: TileColour
    ) {
        let outline = TileOutline(placement, round: shape.isRound, within: self) { shape.isSoft($0) }
        if let outline {
            commands.append(
                TileCommand(outline: outline, paint: .shape(shape, colour.encoded(by: encoding))))
        }
    }

    /// Carries a command out on the rows of the band that begins at row `top`.
    mutating func execute(_ command: TileCommand, top: Int) {
        if !command.isLight { holdsMatter = true }
        if command.outline.isCoarse { return executeCoarse(command, top: top) }
        // What was drawn coarsely before must lie beneath.
        if coarseWaits, coarseIsMatter || !command.isLight { layCoarse() }
        let outline = command.outline
        for y in outline.rows.clamped(to: top..<top + Self.tileHeight) {
            var columns = outline.columns(inRow: y)
            if columns.isEmpty { continue }
            if case .sprite(let sprite) = command.paint {
                columns = visible(columns, inRow: y, of: sprite)
                if columns.isEmpty { continue }
            }
            touch(columns)
            let (start, n) = ((y - top) * stride + columns.lowerBound, columns.count)
            switch command.paint {
            case .shape(let shape, let colour):
                fillCoverage(shape, outline.coverage(at: columns.lowerBound, y), count: n)
                if colour.alpha == 0 {
                    TileRows.add(red, green, blue, start, n, weights: coverage, colour)
                } else {
                    TileRows.over(red, green, blue, alpha, start, n, weights: coverage, colour)
                }
            case .sprite(let sprite):
                sample(sprite, x: columns.lowerBound, y: y, count: n)
                lay(sprite, over: red, green, blue, alpha, at: start, count: n)
            }
        }
    }

    /// Computes a shape's coverage of a row.
    func fillCoverage(_ shape: TileShape, _ c: TileCoverage, count: Int) {
        let n = TileRows.rounded(count)
        var row = unsafe UnsafeMutableBufferPointer(start: coverage.samples(from: 0, n), count: n).mutableSpan
        switch shape {
        case .glow(let halo): c.glow(&row, halo: halo)
        case .disc(let slope): c.disc(&row, slope: slope)
        case .ring(let radius, let slope): c.ring(&row, radius: radius, slope: slope)
        case .paper(let slopeU, let slopeV): c.paper(&row, slopeU: slopeU, slopeV: slopeV)
        case .streak(let tail, let slope): c.streak(&row, tail: tail, slope: slope)
        case .box(let halfWidth, let halfHeight, let radius):
            c.box(&row, halfWidth: halfWidth, halfHeight: halfHeight, radius: radius)
        case .arc(let radius, let halfWidth, let sine, let cosine):
            c.arc(&row, radius: radius, halfWidth: halfWidth, sine: sine, cosine: cosine)
        case .beam(let spread, let phase): c.beam(&row, spread: spread, phase: phase)
        case .sparkle: c.sparkle(&row)
        }
        // A shape may go on beyond the picture's edge; the rounded row must not.
        for i in count..<n { row[i] = 0 }
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

    /// Whether it changes so little from pixel to pixel that every fourth tells the rest.
    func isSoft(_ toLocal: AffineTransform) -> Bool {
        let pace = max(toLocal.a.magnitude, toLocal.b.magnitude, toLocal.c.magnitude, toLocal.d.magnitude)
        return switch self {
        case .glow: pace < 1.0 / 40
        case .beam(let spread, _): pace < Double(spread) / 12
        case .disc, .ring, .paper, .streak, .box, .arc, .sparkle: false
        }
    }
}
