/// Executes drawing commands on the rows of a band at full resolution.
extension BandBrush {
    /// Executes a command on the rows of a band.
    mutating func execute(_ command: BandCommand, in band: Band, onto picture: inout MutablePicture) {
        if command.outline.isCoarse { return executeCoarse(command, in: band, onto: &picture) }
        // Earlier coarse matter is beneath this command, so it must be composited first.
        if coarseWaits, !coarseIsLight { layCoarse(in: band, onto: &picture) }
        let (outline, top) = (command.outline, band.top)
        if case .shape(let shape, let colour) = command.paint, colour.alpha == 0,
            !touchesMatter(outline, top: top)
        {
            return shine(shape, colour, outline, in: band)
        }
        let leavesGaps = band.leavesGaps(overRows: 1)
        let rows = outline.rows.clamped(to: top..<top + BandGrid.bandHeight)
        let outlined = outline.columns(inRows: rows)
        for y in rows {
            var columns = outlined[y]
            if columns.isEmpty { continue }
            if case .sprite(let sprite) = command.paint {
                columns = visible(columns, inRow: y, of: sprite)
                if columns.isEmpty { continue }
            }
            people.forEachPart(inRow: y - top, of: columns, leavingGaps: leavesGaps) { part in
                // A sprite may be sampled at every second pixel, counted from the start of the row. So an even number
                // of pixels is skipped.
                let hidden = (part.lowerBound - columns.lowerBound) & ~1
                let part = columns.lowerBound + hidden..<part.upperBound
                touched.mark(part, inRow: y - top)
                switch command.paint {
                case .shape(let shape, let colour): lay(shape, colour, outline, on: part, y, top: top)
                case .sprite(let sprite):
                    sample(sprite, x: columns.lowerBound, y: y, skipping: hidden, count: part.count)
                    lay(sprite, over: colours, alpha, at: (y - top) * stride + part.lowerBound, count: part.count)
                }
            }
        }
    }

    /// Draws a shape over pixels of row `y`.
    private func lay(
        _ shape: BandShape, _ colour: BandColour, _ outline: BandOutline, on pixels: Range<Int>, _ y: Int, top: Int
    ) {
        let (start, n) = ((y - top) * stride + pixels.lowerBound, pixels.count)
        outline.coverage(at: pixels.lowerBound, y).fill(coverage, at: 0, with: shape, count: n)
        if colour.alpha == 0 {
            BandRows.add(colours, start, n, weights: coverage, colour)
        } else {
            BandRows.over(colours, alpha, start, n, weights: coverage, colour)
        }
    }

    /// Returns whether a shape reaches cells of the band that contain matter.
    private func touchesMatter(_ outline: BandOutline, top: Int) -> Bool {
        if touched.isEmpty { return false }
        let rows = outline.rows.clamped(to: top..<top + BandGrid.bandHeight)
        let outlined = outline.columns(inRows: rows)
        return rows.contains { y in !outlined[y].isEmpty && touched.contains(outlined[y], inRow: y - top) }
    }
}

extension BandBrush {
    /// Returns the pixels of a row in which the sprite is not entirely transparent.
    func visible(_ columns: Range<Int>, inRow y: Int, of paint: BandSpritePaint) -> Range<Int> {
        let slope = paint.toTexels.a
        let visible = paint.level.visible
        let from = paint.toTexels.apply(x: Double(columns.lowerBound) + 0.5, y: Double(y) + 0.5)
        let end = from.y + paint.toTexels.b * Double(columns.count - 1)
        let top = max(Int(min(from.y, end)), 0)
        let bottom = min(Int(max(from.y, end)), visible.count - 1)
        // A strongly rotated row crosses so many texel rows that the search costs more than it saves.
        guard slope.magnitude > 0.01, top <= bottom, bottom - top < 60 else { return columns }
        var (first, last) = (Int.max, 0)
        for row in top...bottom where !visible[row].isEmpty {
            first = min(first, visible[row].lowerBound)
            last = max(last, visible[row].upperBound)
        }
        if first >= last { return columns.lowerBound..<columns.lowerBound }
        let one = (Double(first) - 1 - from.x) / slope
        let other = (Double(last) - from.x) / slope
        let low = max(Int(min(max(min(one, other), 0), 1e6)), 0)
        let high = min(Int(min(max(max(one, other), -1), 1e6)) + 1, columns.count)
        return low < high
            ? columns.lowerBound + low..<columns.lowerBound + high : columns.lowerBound..<columns.lowerBound
    }

    /// Composites the sampled row of a sprite over colours and alpha.
    func lay(
        _ paint: BandSpritePaint, over colours: borrowing BandColours, _ alpha: borrowing BandPlane, at start: Int,
        count: Int
    ) {
        let (colour, alphaScale) = (paint.colourScale, paint.alphaScale)
        BandRows.over(colours.red, start, count, values: spriteColours.red, colour, alphas: coverage, alphaScale)
        BandRows.over(colours.green, start, count, values: spriteColours.green, colour, alphas: coverage, alphaScale)
        BandRows.over(colours.blue, start, count, values: spriteColours.blue, colour, alphas: coverage, alphaScale)
        BandRows.over(alpha, start, count, values: coverage, alphaScale, alphas: coverage, alphaScale)
    }

    private static var evenBytes: UInt64 { 0x00FF_00FF_00FF_00FF }

    /// Samples pixels of a row that begins at `x`, except for the first `skipped` pixels. Pixels that pad the row to
    /// whole vectors become transparent.
    /// - Precondition: `skipped` is even.
    func sample(_ paint: BandSpritePaint, x: Int, y: Int, skipping skipped: Int, count: Int) {
        if paint.every == 1 {
            samplePoints(paint, x: x, y: y, skipping: skipped, count, every: 1, into: spriteColours, coverage)
        } else {
            // The planes for chroma averages are unused until the band is blended, so they hold the points here.
            samplePoints(
                paint, x: x, y: y, skipping: skipped / 2, (count - 1) / 2 + 2, every: 2, into: small, smallAlpha)
            BandRows.upsampleTwofold(small.red, into: spriteColours.red, count)
            BandRows.upsampleTwofold(small.green, into: spriteColours.green, count)
            BandRows.upsampleTwofold(small.blue, into: spriteColours.blue, count)
            BandRows.upsampleTwofold(smallAlpha, into: coverage, count)
        }
    }

    /// Samples points of a row that begins at `x`, `step` pixels apart, except for the first `skipped` points.
    func samplePoints(
        _ paint: BandSpritePaint, x: Int, y: Int, skipping skipped: Int = 0, _ count: Int, every step: Int,
        into colours: borrowing BandColours, _ alpha: borrowing BandPlane
    ) {
        let level = paint.level
        // The path through the texels, in 16.16 fixed point.
        let begin = paint.toTexels.apply(x: Double(x) + 0.5, y: Double(y) + 0.5)
        let dx = Int(paint.toTexels.a * 65536) * step
        let dy = Int(paint.toTexels.b * 65536) * step
        var px = Int(begin.x * 65536) + dx * skipped
        var py = Int(begin.y * 65536) + dy * skipped
        let n = BandRows.rounded(count)
        let r = unsafe colours.red.samples(from: 0, n)
        let g = unsafe colours.green.samples(from: 0, n)
        let b = unsafe colours.blue.samples(from: 0, n)
        let a = unsafe alpha.samples(from: 0, n)
        let texels = unsafe level.texels.span.bytes
        let stride = level.stride
        // The sprite's transparent border keeps the path inside the texels, but for rounding. Points outside are
        // transparent.
        let inside = level.part(ofWalk: (px, py), by: (dx, dy), count)
        for i in 0..<inside.lowerBound { unsafe (r[i], g[i], b[i], a[i]) = (0, 0, 0, 0) }
        px &+= dx &* inside.lowerBound
        py &+= dy &* inside.lowerBound
        for i in inside {
            let index = (py &>> 16) &* stride &+ (px &>> 16)
            let fx = UInt64(truncatingIfNeeded: (px &>> 12) & 15)
            let fy = UInt64(truncatingIfNeeded: (py &>> 12) & 15)
            px &+= dx
            py &+= dy
            // A word contains two neighbouring texels. The even bytes of the word are reds and blues, the odd bytes
            // greens and alphas. Each has 16 bits for weights that sum to 256. A negative difference borrows from the
            // next 16 bits. The addition that follows returns the borrowed bit.
            let upper = unsafe texels.unsafeLoadUnaligned(fromUncheckedByteOffset: 4 &* index, as: UInt64.self)
            let lower = unsafe texels.unsafeLoadUnaligned(
                fromUncheckedByteOffset: 4 &* (index &+ stride), as: UInt64.self)
            let (even, odd) = (upper & Self.evenBytes, (upper &>> 8) & Self.evenBytes)
            let redBlue = even &<< 4 &+ ((lower & Self.evenBytes) &- even) &* fy
            let greenAlpha = odd &<< 4 &+ (((lower &>> 8) & Self.evenBytes) &- odd) &* fy
            let left = (redBlue & 0xFFFF_FFFF) | greenAlpha &<< 32
            let right = redBlue &>> 32 | (greenAlpha & 0xFFFF_FFFF_0000_0000)
            let mixed = left &<< 4 &+ (right &- left) &* fx
            unsafe r[i] = UInt16(truncatingIfNeeded: mixed)
            unsafe b[i] = UInt16(truncatingIfNeeded: mixed &>> 16)
            unsafe g[i] = UInt16(truncatingIfNeeded: mixed &>> 32)
            unsafe a[i] = UInt16(truncatingIfNeeded: mixed &>> 48)
        }
        for i in inside.upperBound..<n { unsafe (r[i], g[i], b[i], a[i]) = (0, 0, 0, 0) }
    }
}
