import Raster

/// Selects the possible colours of gutters (the gaps between tiles): the colours of large flat parts of the picture,
/// and of lines that cross the whole picture.
struct GutterColours {
    /// The colours of flat parts, largest part first, and then those of lines.
    private(set) var colours: [FlatColour] = []

    /// The maximum number of colours of flat parts, and of lines in each direction.
    private static let maximumFlatness = 4, maximumLines = 2
    /// The minimum share of the picture that a flat part of a colour covers.
    private static let minimumShare = 0.004
    /// The minimum difference between two colours, in 8-bit codes.
    private static let minimumDistance = 7
    /// The distance between the samples that are counted along a row, in pixels.
    static let step = 8

    init(_ samples: SparseSamples) {
        addFlatParts(samples)
        addLines(samples.rows) { samples.colour(row: $1, column: $0) }
        addLines(samples.columns) { samples.colour(column: $1, row: $0) }
    }

    private mutating func add(_ colour: FlatColour) -> Bool {
        guard !colours.contains(where: { $0.distance(to: colour) < Self.minimumDistance }) else { return false }
        colours.append(colour)
        return true
    }

    /// Adds the colours of the largest flat parts.
    private mutating func addFlatParts(_ samples: SparseSamples) {
        var counts = [UInt16](repeating: 0, count: 1 << 14)
        var flat: [(bin: UInt16, colour: FlatColour)] = []
        let width = samples.width, luma = samples.rows.luma.values.span
        var total = 0
        for line in stride(from: 0, to: samples.rows.positions.count - 1, by: 2) {
            let row = luma.extracting(line * width..<(line + 1) * width)
            let next = luma.extracting((line + 1) * width..<(line + 2) * width)
            for x in stride(from: 0, to: width - 4, by: Self.step) {
                total += 1
                let value = Int(row[x])
                guard abs(value - Int(row[x + 4])) <= 2, abs(value - Int(next[x])) <= 2 else { continue }
                let colour = samples.colour(row: line, column: x)
                let bin = UInt16(value >> 2) << 8 | UInt16(colour.cb >> 4) << 4 | UInt16(colour.cr >> 4)
                counts[Int(bin)] &+= 1
                flat.append((bin, colour))
            }
        }
        let minimum = UInt16(clamping: max(Int(Self.minimumShare * Double(total)), 1))
        let bins = counts.indices.filter { counts[$0] >= minimum }.sorted { counts[$0] > counts[$1] }
        for bin in bins where colours.count < Self.maximumFlatness {
            var sum = SIMD4<Int>.zero
            for sample in flat where sample.bin == bin {
                sum &+= SIMD4(Int(sample.colour.luma), Int(sample.colour.cb), Int(sample.colour.cr), 1)
            }
            let count = sum[3]
            _ = add(FlatColour(luma: UInt8(sum[0] / count), cb: UInt8(sum[1] / count), cr: UInt8(sum[2] / count)))
        }
    }

    /// Adds the colours of gutters across the whole picture: the widest runs of positions at which nearly all lines
    /// have the same luma.
    private mutating func addLines(
        _ set: SparseSamples.LineSet, colour: (_ position: Int, _ line: Int) -> FlatColour
    ) {
        let length = set.luma.length, lines = set.positions.count
        guard lines >= 8 else { return }
        let values = set.luma.values.span
        let maximum = lines / 12
        var runs: [Range<Int>] = []
        for position in 0..<length {
            let value = Int(values[lines / 2 * length + position])
            var misses = 0
            for line in 0..<lines {
                if abs(Int(values[line * length + position]) - value) > GutterTone.flatLuma { misses += 1 }
                if misses > maximum { break }
            }
            guard misses <= maximum else { continue }
            if let last = runs.last, last.upperBound == position,
                abs(Int(values[lines / 2 * length + position - 1]) - value) <= GutterTone.flatLuma
            {
                runs[runs.count - 1] = last.lowerBound..<position + 1
            } else {
                runs.append(position..<position + 1)
            }
        }
        var count = 0
        for run in runs.sorted(by: { ($0.count, $1.lowerBound) > ($1.count, $0.lowerBound) })
        where count < Self.maximumLines {
            if run.count > 1, add(colour(run.lowerBound + run.count / 2, lines / 2)) { count += 1 }
        }
    }
}

/// Cuts a rectangle along straight gutters of one colour (the gaps between tiles) into the rectangles between them.
///
/// A gutter is a run of columns, or rows, that have the colour from one end of the rectangle to the other. Parts are
/// cut again until no gutter crosses them (the recursive X-Y cut of document analysis: Nagy and Seth, 1984).
struct GutterCut {
    private let mask: ColourMask
    /// The minimum width and height of a part, in pixels.
    private let minimumWidth: Int, minimumHeight: Int

    /// The minimum share of a line's samples that have the gutter's colour. The others may be a pointer, an active
    /// speaker's frame or an artefact of compression.
    private static let lineShare: Float = 0.92
    private static let maximumDepth = 12
    /// The minimum width of a gutter in pixels.
    private static let minimumGutter = 2

    init(_ mask: ColourMask, minimumWidth: Int, minimumHeight: Int) {
        (self.mask, self.minimumWidth, self.minimumHeight) = (mask, minimumWidth, minimumHeight)
    }

    /// Returns the largest share of the gutter's colour in any line that could divide a rectangle, 0…1.
    func clearest(in rect: PictureRegion) -> Float {
        guard let rect = trimmed(rect) else { return 0 }
        return max(
            clearest(rect.height, mask.rowShares(in: rect), minimum: minimumHeight),
            clearest(rect.width, mask.columnShares(in: rect), minimum: minimumWidth))
    }

    private func clearest(_ length: Int, _ shares: [Float], minimum: Int) -> Float {
        guard length > 2 * minimum else { return 0 }
        return shares[minimum..<max(minimum, shares.count - minimum)].max() ?? 0
    }

    /// Returns the parts of a rectangle that have at least the minimum size, without the gutters around them.
    func parts(of rect: PictureRegion) -> [PictureRegion] {
        var parts: [PictureRegion] = []
        cut(rect, depth: 0, into: &parts)
        return parts
    }

    private func cut(_ rect: PictureRegion, depth: Int, into parts: inout [PictureRegion]) {
        guard let rect = trimmed(rect) else { return }
        guard depth < Self.maximumDepth else { return parts.append(rect) }
        let rows = Self.split(rect.rows, mask.rowShares(in: rect))
        if rows.count > 1 {
            for range in rows { cut(PictureRegion(columns: rect.columns, rows: range), depth: depth + 1, into: &parts) }
            return
        }
        let columns = Self.split(rect.columns, mask.columnShares(in: rect))
        guard columns.count > 1 else { return parts.append(rect) }
        for range in columns { cut(PictureRegion(columns: range, rows: rect.rows), depth: depth + 1, into: &parts) }
    }

    /// Returns a rectangle without the gutters at its sides; `nil` if too little remains.
    func trimmed(_ rect: PictureRegion) -> PictureRegion? {
        var rect = rect
        while true {
            guard let rows = Self.trim(rect.rows, mask.rowShares(in: rect)) else { return nil }
            let inner = PictureRegion(columns: rect.columns, rows: rows)
            guard let columns = Self.trim(rect.columns, mask.columnShares(in: inner)) else { return nil }
            let result = PictureRegion(columns: columns, rows: rows)
            guard result.width >= minimumWidth, result.height >= minimumHeight else { return nil }
            if result == rect { return result }
            rect = result
        }
    }

    private static func trim(_ range: Range<Int>, _ shares: [Float]) -> Range<Int>? {
        guard let first = shares.firstIndex(where: { $0 < lineShare }),
            let last = shares.lastIndex(where: { $0 < lineShare })
        else { return nil }
        return range.lowerBound + first..<range.lowerBound + last + 1
    }

    /// Returns the ranges between gutters.
    private static func split(_ range: Range<Int>, _ shares: [Float]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var begin = 0
        var index = 0
        while index < shares.count {
            guard shares[index] >= lineShare else {
                index += 1
                continue
            }
            let end = shares[index...].firstIndex { $0 < lineShare } ?? shares.count
            if end - index >= minimumGutter, isGutter(index..<end, shares) {
                if begin < index { ranges.append(range.lowerBound + begin..<range.lowerBound + index) }
                begin = end
            }
            index = end
        }
        if begin < shares.count { ranges.append(range.lowerBound + begin..<range.upperBound) }
        return ranges
    }

    /// Returns whether a run of lines is a gutter: the content on at least one side of it begins along a straight line.
    /// If the run is a wall behind a person, the share of the wall's colour next to the run falls gradually instead.
    private static func isGutter(_ run: Range<Int>, _ shares: [Float]) -> Bool {
        isStraight(shares, from: run.lowerBound - 1, by: -1) || isStraight(shares, from: run.upperBound, by: 1)
    }

    /// The distances from a gutter, in pixels, at which content with a straight side has begun, and at which any
    /// content has its full extent.
    private static let near = 1...4, deep = 12...28

    private static func isStraight(_ shares: [Float], from start: Int, by step: Int) -> Bool {
        var nearest: Float = 0, inside: Float = 0
        for distance in near {
            let index = start + step * distance
            if shares.indices.contains(index) { nearest = max(nearest, 1 - shares[index]) }
        }
        for distance in deep {
            let index = start + step * distance
            if shares.indices.contains(index) { inside = max(inside, 1 - shares[index]) }
        }
        return nearest > 0.08 && nearest >= 0.6 * inside
    }
}
