/// The samples of a picture that have one colour, summed up so that the share in any part of a column or row is known at
/// once.
struct ColourMask: Sendable {
    /// Sums along the direction across the lines: `sums[i * length + p]` is the number of matches at position `p` in the
    /// first `i` lines.
    private struct Sums: Sendable {
        var positions: [Int] = []
        var length = 0
        var sums: [UInt16] = []

        /// Returns the lines whose positions lie in a range.
        func lines(in range: Range<Int>) -> Range<Int> {
            guard let first = positions.first, positions.count > 1 else { return 0..<0 }
            let step = positions[1] - first
            func index(_ position: Int) -> Int {
                min(max((position - first + step - 1) / step, 0), positions.count)
            }
            let low = position(range.lowerBound, first, step), high = index(range.upperBound)
            return min(low, high)..<high
        }

        private func position(_ value: Int, _ first: Int, _ step: Int) -> Int {
            value <= first ? 0 : min((value - first + step - 1) / step, positions.count)
        }
    }

    let colour: FlatColour
    /// Answers questions about columns: lines are sampled rows.
    private var acrossRows = Sums()
    /// Answers questions about rows: lines are sampled columns.
    private var acrossColumns = Sums()

    /// The largest difference of a sample to the colour: compression leaves less in flat parts.
    static let lumaTolerance = 7, chromaTolerance = 12

    /// - Parameter frame: the colour of the active speaker's frame, which counts as gutter, too.
    init(_ samples: SparseSamples, colour: FlatColour, frame: FlatColour? = nil) {
        self.colour = colour
        acrossRows = Self.sum(samples.rows, colour, frame)
        acrossColumns = Self.sum(samples.columns, colour, frame)
    }

    private static func sum(_ set: SparseSamples.LineSet, _ colour: FlatColour, _ frame: FlatColour?) -> Sums {
        let length = set.luma.length, count = set.positions.count
        var sums = [UInt16](repeating: 0, count: length * (count + 1))
        // A bit for each of both colours.
        func codes(_ component: KeyPath<FlatColour, UInt8>, _ tolerance: Int) -> [UInt16] {
            let first = table(colour[keyPath: component], tolerance)
            guard let frame else { return first }
            return zip(first, table(frame[keyPath: component], tolerance + 4)).map { $0 | $1 << 1 }
        }
        let isMatch = codes(\.luma, lumaTolerance)
        let isMatchingCb = codes(\.cb, chromaTolerance), isMatchingCr = codes(\.cr, chromaTolerance)
        let shift = set.chromaShift
        let isStable = set.isStable.isEmpty ? [UInt16](repeating: 1, count: length * count) : set.isStable
        for line in 0..<count {
            let luma = set.luma.values.span.extracting(line * length..<(line + 1) * length)
            let cb = set.cb.values.span.extracting(line * set.cb.length..<(line + 1) * set.cb.length)
            let cr = set.cr.values.span.extracting(line * set.cr.length..<(line + 1) * set.cr.length)
            let last = cb.count - 1
            for position in 0..<length {
                let chroma = min(position >> shift, last)
                let match =
                    isMatch[Int(luma[position])] & isMatchingCb[Int(cb[chroma])] & isMatchingCr[Int(cr[chroma])]
                sums[(line + 1) * length + position] =
                    sums[line * length + position] &+ (match == 0 ? 0 : isStable[line * length + position])
            }
        }
        return Sums(positions: set.positions, length: length, sums: sums)
    }

    /// Returns 1 for each code that is near enough to a value, 0 for the others.
    private static func table(_ value: UInt8, _ tolerance: Int) -> [UInt16] {
        (0..<256).map { abs($0 - Int(value)) <= tolerance ? 1 : 0 }
    }

    /// Returns the share of samples in a rectangle that have the colour, 0…1.
    func share(in rect: TileRect) -> Float {
        let shares = columnShares(in: rect)
        return shares.isEmpty ? 0 : shares.reduce(0, +) / Float(shares.count)
    }

    /// Returns the shares of the samples just outside of a rectangle's sides that have the colour, without the sides that lie
    /// on another rectangle's.
    func sharesAround(_ rect: TileRect, within whole: TileRect) -> [Float] {
        var shares: [Float] = []
        for x in [rect.columns.lowerBound - 2, rect.columns.upperBound + 1] where whole.columns.contains(x) {
            shares.append(share(in: TileRect(columns: x..<x + 1, rows: rect.rows)))
        }
        for y in [rect.rows.lowerBound - 2, rect.rows.upperBound + 1] where whole.rows.contains(y) {
            let values = rowShares(in: TileRect(columns: rect.columns, rows: y..<y + 1))
            shares.append(values.first ?? 0)
        }
        return shares
    }

    /// Returns the share of samples that have the colour, for each column of a rectangle, 0…1; empty where no row of it is
    /// sampled.
    func columnShares(in rect: TileRect) -> [Float] { Self.shares(acrossRows, along: rect.columns, within: rect.rows) }

    /// Returns the same for each row of a rectangle.
    func rowShares(in rect: TileRect) -> [Float] { Self.shares(acrossColumns, along: rect.rows, within: rect.columns) }

    private static func shares(_ sums: Sums, along range: Range<Int>, within extent: Range<Int>) -> [Float] {
        let lines = sums.lines(in: extent)
        guard !lines.isEmpty else { return [] }
        let scale = 1 / Float(lines.count)
        let high = lines.upperBound * sums.length, low = lines.lowerBound * sums.length
        return range.map { Float(sums.sums[high + $0] &- sums.sums[low + $0]) * scale }
    }
}
