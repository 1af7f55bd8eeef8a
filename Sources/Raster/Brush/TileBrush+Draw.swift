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
            return shine(shape, colour, outline, in: band)
        }
        let leavesGaps = band.leavesGaps(overRows: 1)
        let rows = outline.rows.clamped(to: top..<top + TileGrid.tileHeight)
        let outlined = outline.columns(inRows: rows)
        for y in rows {
            var columns = outlined[y]
            if columns.isEmpty { continue }
            if case .sprite(let sprite) = command.paint {
                columns = visible(columns, inRow: y, of: sprite)
                if columns.isEmpty { continue }
            }
            people.forEachPart(inRow: y - top, of: columns, leavingGaps: leavesGaps) { part in
                // Of sprites every second pixel may be sampled, counted from where the row begins.
                let hidden = (part.lowerBound - columns.lowerBound) & ~1
                let part = columns.lowerBound + hidden..<part.upperBound
                touched.mark(part, inRow: y - top)
                switch command.paint {
                case .shape(let shape, let colour): lay(shape, colour, outline, on: part, y, top: top)
                case .sprite(let sprite):
                    sample(sprite, x: columns.lowerBound, y: y, skipping: hidden, count: part.count)
                    lay(
                        sprite, over: red, green, blue, alpha, at: (y - top) * stride + part.lowerBound,
                        count: part.count)
                }
            }
        }
    }

    /// Lays a shape over pixels of row `y`.
    private func lay(
        _ shape: TileShape, _ colour: TileColour, _ outline: TileOutline, on pixels: Range<Int>, _ y: Int, top: Int
    ) {
        let (start, n) = ((y - top) * stride + pixels.lowerBound, pixels.count)
        outline.coverage(at: pixels.lowerBound, y).fill(coverage, at: 0, with: shape, count: n)
        if colour.alpha == 0 {
            TileRows.add(red, green, blue, start, n, weights: coverage, colour)
        } else {
            TileRows.over(red, green, blue, alpha, start, n, weights: coverage, colour)
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
}
