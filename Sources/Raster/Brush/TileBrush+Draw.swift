extension TileBrush {
    /// Carries a command out on the rows of a band.
    mutating func execute(_ command: TileCommand, in band: TileBand, onto picture: inout MutablePicture) {
        if command.outline.isCoarse { return executeCoarse(command, in: band, onto: &picture) }
        // What was drawn coarsely before must lie beneath.
        if coarseWaits, !coarseIsLight { layCoarse(in: band, onto: &picture) }
        let (outline, top) = (command.outline, band.top)
        if case .shape(let shape, let colour) = command.paint, colour.alpha == 0,
            !touchesMatter(outline, top: top)
        {
            return shine(shape, colour, outline, top: top)
        }
        for y in outline.rows.clamped(to: top..<top + TileGrid.tileHeight) {
            var columns = outline.columns(inRow: y)
            if columns.isEmpty { continue }
            if case .sprite(let sprite) = command.paint {
                columns = visible(columns, inRow: y, of: sprite)
                if columns.isEmpty { continue }
            }
            touched.mark(columns, inRow: y - top)
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

    /// Whether a shape reaches into cells of the band that hold matter.
    private func touchesMatter(_ outline: TileOutline, top: Int) -> Bool {
        if touched.isEmpty { return false }
        return outline.rows.clamped(to: top..<top + TileGrid.tileHeight).contains { y in
            let columns = outline.columns(inRow: y)
            return !columns.isEmpty && touched.contains(columns, inRow: y - top)
        }
    }

    /// Computes a shape's coverage of a row, `at` so far along ``coverage``.
    func fillCoverage(_ shape: TileShape, _ c: TileCoverage, count: Int, at start: Int = 0) {
        let n = TileRows.rounded(count)
        var row = unsafe coverage.mutableBuffer(from: start, n).mutableSpan
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
        // Means of pairs are taken in whole groups too.
        if n % (2 * TileRows.group) != 0 { coverage.clear(from: start + n, TileRows.group) }
    }
}
