package import Raster

/// Finds the name label of a participant's tile: a small box with text in a corner or along the bottom of the tile.
/// Effects are kept off it. `TileForeground` of Pipeline calls it.
///
/// Three conditions must be met. The text is a line of thin strokes, all brighter or all darker than the box. The box
/// has four straight sides. The box is plain apart from the text. In doubt, no label is reported: an effect that covers
/// a label is less conspicuous than a part of the picture that effects avoid for no reason.
package enum NameLabel {
    /// The height of the bands at the tile's top and bottom that are searched, as a share of the tile's height.
    private static let bandShare = 0.24
    /// The minimum width and height of a tile whose label is searched, in pixels.
    private static let minimumHeight = 96
    /// The maximum distance of a label at the top from the tile's left or right side, as a share of the tile's width.
    private static let cornerShare = 0.12

    /// Returns the region of the label in the picture of a tile; `nil` if there is none, or if in doubt.
    package static func region(in picture: borrowing Picture) -> PictureRegion? {
        let (width, height) = (picture.format.width, picture.format.height)
        guard height >= minimumHeight, width >= minimumHeight else { return nil }
        let count = Int(bandShare * Double(height))
        let below = LumaBand(picture, rows: height - count..<height)
        if let found = below.label(tileHeight: height) {
            return PictureRegion(
                columns: found.columns,
                rows: found.top + height - count..<found.bottom + height - count)
        }
        // The band at the top is searched upside down, so that its outer side is the last row, too.
        var above = LumaBand(picture, rows: 0..<count)
        above.flip()
        guard let found = above.label(tileHeight: height) else { return nil }
        let margin = Int(cornerShare * Double(width))
        guard found.left <= margin || found.right >= width - margin else { return nil }
        return PictureRegion(
            columns: found.columns, rows: count - found.bottom..<count - found.top)
    }
}

/// Rows of a picture's luma, in codes of 8 bits.
private struct LumaBand {
    private(set) var samples: [UInt8]
    let width: Int, height: Int

    init(_ picture: borrowing Picture, rows: Range<Int>) {
        let (width, depth) = (picture.format.width, picture.format.bitDepth)
        var samples: [UInt8] = []
        samples.reserveCapacity(rows.count * width)
        if depth == 8 {
            picture.with8BitPlane(.luma) { plane, stride in
                for row in rows { for column in 0..<width { samples.append(plane[row * stride + column]) } }
            }
        } else {
            picture.with16BitPlane(.luma) { plane, stride in
                for row in rows {
                    for column in 0..<width {
                        samples.append(UInt8(truncatingIfNeeded: plane[row * stride + column] >> (depth - 8)))
                    }
                }
            }
        }
        (self.samples, self.width, height) = (samples, width, rows.count)
    }

    mutating func flip() {
        samples = (0..<height).reversed().flatMap { samples[$0 * width..<($0 + 1) * width] }
    }

    func value(_ x: Int, _ y: Int) -> Int { Int(samples[y * width + x]) }
}

extension LumaBand {
    /// The minimum difference of luma between a stroke and its ground, and between a side of the box and its
    /// surroundings.
    private static let strokeContrast = 40, sideContrast = 7
    /// The minimum share of a side's samples that differ from the surroundings in the same direction.
    private static let sideShare = 0.75
    /// The maximum difference of the box's samples from their median, and the minimum share of samples within it.
    private static let plainness = 26, plainShare = 0.55

    /// Returns the label in a band whose last row is the outer edge of the tile; `nil` if there is none.
    func label(tileHeight: Int) -> PictureRegion? {
        for polarity in [1, -1] {
            for text in texts(polarity, tileHeight: tileHeight) {
                if let box = box(around: text, tileHeight: tileHeight), isPlain(box, polarity) { return box }
            }
        }
        return nil
    }

    /// Returns the bounds of lines of strokes that are brighter (`polarity` 1) or darker (−1) than the ground to their left and
    /// right.
    private func texts(_ polarity: Int, tileHeight: Int) -> [PictureRegion] {
        let reach = max(2, tileHeight / 72), cell = max(4, tileHeight / 36)
        guard width > 2 * reach else { return [] }
        let columns = (width + cell - 1) / cell, rows = (height + cell - 1) / cell
        var counts = [Int](repeating: 0, count: columns * rows)
        var strokes: [(x: Int, y: Int)] = []
        for y in 0..<height {
            for x in reach..<width - reach {
                let ground = (value(x - reach, y) * polarity, value(x + reach, y) * polarity)
                guard value(x, y) * polarity - max(ground.0, ground.1) >= Self.strokeContrast else { continue }
                strokes.append((x, y))
                counts[y / cell * columns + x / cell] += 1
            }
        }
        let groups = groups(of: counts, columns: columns, least: max(2, cell / 3))
        var found: [Int: (left: Int, right: Int, top: Int, bottom: Int, count: Int)] = [:]
        for (x, y) in strokes {
            let group = groups[y / cell * columns + x / cell]
            guard group > 0 else { continue }
            let old = found[group] ?? (x, x, y, y, 0)
            found[group] = (min(old.left, x), max(old.right, x), min(old.top, y), max(old.bottom, y), old.count + 1)
        }
        return found.sorted { $0.key < $1.key }.compactMap { _, bounds in
            let (across, down) = (bounds.right - bounds.left + 1, bounds.bottom - bounds.top + 1)
            guard down >= max(5, tileHeight * 3 / 200), down <= tileHeight / 10, across * 2 >= down * 3,
                across <= width * 7 / 10, bounds.top > 2, bounds.count * 12 >= across * down
            else { return nil }
            return PictureRegion(left: bounds.left, top: bounds.top, right: bounds.right + 1, bottom: bounds.bottom + 1)
        }
    }

    /// Numbers groups of cells with strokes, from 1; the gaps between letters and words do not separate groups.
    private func groups(of counts: [Int], columns: Int, least: Int) -> [Int] {
        var groups = [Int](repeating: 0, count: counts.count)
        var next = 0
        for start in counts.indices where counts[start] >= least && groups[start] == 0 {
            next += 1
            groups[start] = next
            var open = [start]
            while let cell = open.popLast() {
                for dy in -1...1 {
                    for dx in -3...3 {
                        let (x, y) = (cell % columns + dx, cell / columns + dy)
                        let other = y * columns + x
                        guard x >= 0, x < columns, y >= 0, counts.indices.contains(other), counts[other] >= least,
                            groups[other] == 0
                        else { continue }
                        groups[other] = next
                        open.append(other)
                    }
                }
            }
        }
        return groups
    }

    /// Returns the box around a line of text; `nil` if a side is missing.
    private func box(around text: PictureRegion, tileHeight: Int) -> PictureRegion? {
        let size = text.rows.count
        let inset = Array(text.columns)
        let top = (max(2, text.top - 2 * size)..<max(3, text.top - 1)).reversed().firstStrong {
            row in
            side(along: inset) { x in value(x, row + 1) - value(x, row - 2) }
        }
        guard let top else { return nil }
        let below = text.bottom
        let bottom = (min(below, height - 3)..<min(below + 2 * size, height - 2)).firstStrong { row in
            side(along: inset) { x in value(x, row - 1) - value(x, row + 2) }
        }
        let isAtEdge = bottom == nil && below + size * 8 / 5 >= height
        guard let last = bottom.map({ $0 + 1 }) ?? (isAtEdge ? height : nil) else { return nil }
        let margin = max(1, (last - top) / 10)
        let middle = (top + margin)..<(last - margin)
        // A vertical stroke of a letter resembles a side of the box, but does not continue above and below the text.
        let padding = middle.filter { !text.rows.contains($0) }
        guard padding.count >= 2 else { return nil }
        func upright(_ difference: (Int) -> Int) -> Double? {
            side(along: Array(middle), difference) == nil ? nil : side(along: padding, difference)
        }
        let left = (max(2, text.left - 4 * size)..<max(3, text.left - 1)).reversed()
            .firstStrong { column in
                upright { y in value(column + 1, y) - value(column - 2, y) }
            }
        let after = text.right
        let right = (min(after, width - 3)..<min(after + 7 * size / 4, width - 2)).firstStrong { column in
            upright { y in value(column - 1, y) - value(column + 2, y) }
        }
        guard let first = left ?? (text.left <= 3 * size ? 0 : nil),
            let end = right.map({ $0 + 1 }) ?? (after + 3 * size >= width ? width : nil)
        else { return nil }
        let box = (width: end - first, height: last - top)
        let offset = abs(2 * (text.top - top) - 2 * (last - text.bottom))
        guard box.height * 5 >= size * 6, box.height <= size * 7 / 2, box.height <= tileHeight * 4 / 25,
            box.width <= width * 3 / 4, box.width * 5 >= box.height * 8, offset <= box.height
        else { return nil }
        return PictureRegion(
            columns: max(first - 1, 0)..<min(end + 1, width), rows: max(top - 1, 0)..<min(last + 1, height))
    }

    /// Returns the mean difference along a side from the samples outside of it; `nil` if too few differ in one
    /// direction.
    ///
    /// Edges of the background are visible through a translucent box, but are weaker than the box's sides.
    private func side(along range: [Int], _ difference: (Int) -> Int) -> Double? {
        var (brighter, darker, sum) = (0, 0, 0)
        for place in range {
            let step = difference(place)
            brighter += step >= Self.sideContrast ? 1 : 0
            darker += step <= -Self.sideContrast ? 1 : 0
            sum += step
        }
        guard Double(max(brighter, darker)) >= Self.sideShare * Double(range.count) else { return nil }
        return Double(abs(sum)) / Double(range.count)
    }

    /// Returns whether a box is plain apart from strokes of one polarity.
    private func isPlain(_ box: PictureRegion, _ polarity: Int) -> Bool {
        var histogram = [Int](repeating: 0, count: 256)
        for y in box.rows.dropFirst(3).dropLast(3) {
            for x in box.columns.dropFirst(3).dropLast(3) { histogram[value(x, y)] += 1 }
        }
        let count = histogram.reduce(0, +)
        guard count > 0 else { return false }
        var (median, sum) = (0, 0)
        for (code, number) in histogram.enumerated() {
            sum += number
            median = code
            if 2 * sum >= count { break }
        }
        func share(_ codes: ClosedRange<Int>) -> Double {
            Double(histogram[codes.clamped(to: 0...255)].reduce(0, +)) / Double(count)
        }
        let (brighter, darker) = (median + Self.strokeContrast, median - Self.strokeContrast)
        let above = brighter <= 255 ? share(brighter...255) : 0, below = darker >= 0 ? share(0...darker) : 0
        let (text, other) = polarity > 0 ? (above, below) : (below, above)
        return share(median - Self.plainness...median + Self.plainness) >= Self.plainShare && text >= 0.03
            && text <= 0.5 && other <= 0.05
    }
}

extension Sequence<Int> {
    /// Returns the first place whose score is at least three quarters of the highest score; `nil` if none has a score.
    fileprivate func firstStrong(_ score: (Int) -> Double?) -> Int? {
        let scores = map { ($0, score($0) ?? 0) }
        guard let most = scores.map(\.1).max(), most > 0 else { return nil }
        return scores.first { $0.1 >= 0.75 * most }?.0
    }
}
