/// Marks the samples of a picture that have one colour. Prefix sums give the share in any part of a column or row
/// without a further pass over the samples.
struct ColourMask: Sendable {
    /// Sums along the direction across the lines: `sums[i * length + p]` is the number of matches at position `p` in the
    /// first `i` lines.
    private struct Sums: Sendable {
        var positions: [Int] = []
        var length = 0
        var sums: [UInt16] = []

        /// Returns the lines whose positions are in a range.
        func lines(in range: Range<Int>) -> Range<Int> {
            guard let first = positions.first, positions.count > 1 else { return 0..<0 }
            let step = positions[1] - first
            func index(_ position: Int) -> Int {
                min(max((position - first + step - 1) / step, 0), positions.count)
            }
            let high = index(range.upperBound)
            return min(index(range.lowerBound), high)..<high
        }
    }

    /// Sums for the shares of columns: lines are sampled rows.
    private var acrossRows = Sums()
    /// Sums for the shares of rows: lines are sampled columns.
    private var acrossColumns = Sums()

    /// The tolerances for the colour of an active speaker's frame: thin lines are blurred.
    static let frameLumaTolerance = 24, frameChromaTolerance = 40

    /// - Parameters:
    ///   - frame: the colour of the active speaker's frame, which counts as gutter, too.
    ///   - lineStep: the distance of the sampled lines that count.
    ///   - memory: provides room for the mask's sums.
    init(
        _ samples: SparseSamples, _ tone: GutterTone, frame: FlatColour? = nil, lineStep: Int = 1,
        memory: inout MaskMemory
    ) {
        var targets = [Target(colour: tone.colour, luma: UInt8(tone.luma), chroma: UInt8(tone.chroma))]
        if let frame {
            targets.append(
                Target(
                    colour: frame, luma: UInt8(Self.frameLumaTolerance), chroma: UInt8(Self.frameChromaTolerance)))
        }
        acrossRows = Self.sum(samples.rows, targets, lineStep, memory.next())
        acrossColumns = Self.sum(samples.columns, targets, lineStep, memory.next())
    }

    /// Returns the room for sums; the mask is not used afterwards.
    consuming func release(to memory: inout MaskMemory) {
        memory.buffers.append(acrossRows.sums)
        memory.buffers.append(acrossColumns.sums)
    }

    /// A colour and the largest differences to it.
    private struct Target {
        var colour: FlatColour
        var luma: UInt8, chroma: UInt8
    }

    private static func sum(
        _ set: SparseSamples.LineSet, _ targets: [Target], _ lineStep: Int, _ memory: consuming [UInt16]
    ) -> Sums {
        let length = set.luma.length
        let lines = Array(stride(from: lineStep / 2, to: set.positions.count, by: lineStep))
        var sums = memory
        if sums.count < length * (lines.count + 1) { sums = [UInt16](repeating: 0, count: length * (lines.count + 1)) }
        for index in 0..<length { sums[index] = 0 }
        var isNear = [UInt8](repeating: 0, count: length), isMatch = isNear
        for (number, line) in lines.enumerated() {
            for (index, target) in targets.enumerated() {
                markChroma(set, line, target, &isNear)
                let luma = set.luma.values.span.extracting(line * length..<(line + 1) * length)
                markLuma(luma, target, isNear.span, &isMatch, adds: index > 0)
            }
            let stable = set.isStable.span
            let mask = isMatch.span
            var to = sums.mutableSpan
            let base = number * length, next = base + length
            if stable.isEmpty {
                for position in 0..<length {
                    // `sums` has one line more than there are.
                    unsafe to[unchecked: next &+ position] =
                        to[unchecked: base &+ position] &+ UInt16(mask[unchecked: position])
                }
            } else {
                let kept = stable.extracting(line * length..<(line + 1) * length)
                for position in 0..<length {
                    unsafe to[unchecked: next &+ position] =
                        to[unchecked: base &+ position] &+ UInt16(mask[unchecked: position] & kept[unchecked: position])
                }
            }
        }
        return Sums(positions: lines.map { set.positions[$0] }, length: length, sums: sums)
    }

    @inline(__always)
    private static func isWithin(_ a: UInt8, _ b: UInt8, _ tolerance: UInt8) -> UInt8 {
        max(a, b) &- min(a, b) <= tolerance ? 1 : 0
    }

    /// Marks the luma positions of a line whose chroma is near a colour's.
    private static func markChroma(
        _ set: SparseSamples.LineSet, _ line: Int, _ target: Target, _ isNear: inout [UInt8]
    ) {
        let count = set.cb.length, length = isNear.count
        let cb = set.cb.values.span.extracting(line * count..<(line + 1) * count)
        let cr = set.cr.values.span.extracting(line * count..<(line + 1) * count)
        let (u, v, tolerance) = (target.colour.cb, target.colour.cr, target.chroma)
        var to = isNear.mutableSpan
        if set.chromaShift == 0 {
            for index in 0..<min(count, length) {
                unsafe to[unchecked: index] =
                    isWithin(cb[unchecked: index], u, tolerance) & isWithin(cr[unchecked: index], v, tolerance)
            }
        } else {
            let pairs = min(count, length / 2)
            for index in 0..<pairs {
                let isBlue = unsafe isWithin(cb[unchecked: index], u, tolerance)
                let value = unsafe isBlue & isWithin(cr[unchecked: index], v, tolerance)
                unsafe to[unchecked: 2 &* index] = value
                unsafe to[unchecked: 2 &* index &+ 1] = value
            }
            let last = isWithin(cb[count - 1], u, tolerance) & isWithin(cr[count - 1], v, tolerance)
            for index in 2 * pairs..<length { to[index] = last }
        }
    }

    private static func markLuma(
        _ luma: Span<UInt8>, _ target: Target, _ isNear: Span<UInt8>, _ isMatch: inout [UInt8], adds: Bool
    ) {
        let (value, tolerance) = (target.colour.luma, target.luma)
        var to = isMatch.mutableSpan
        let count = min(to.count, min(luma.count, isNear.count))
        if adds {
            for index in 0..<count {
                unsafe to[unchecked: index] |=
                    isWithin(luma[unchecked: index], value, tolerance) & isNear[unchecked: index]
            }
        } else {
            for index in 0..<count {
                unsafe to[unchecked: index] =
                    isWithin(luma[unchecked: index], value, tolerance) & isNear[unchecked: index]
            }
        }
    }

    /// Returns the share of samples in a rectangle that have the colour, 0…1.
    func share(in rect: TileRect) -> Float {
        let shares = columnShares(in: rect)
        return shares.isEmpty ? 0 : shares.reduce(0, +) / Float(shares.count)
    }

    /// Returns the shares of the samples just outside a rectangle's sides that have the colour. Sides at the border of
    /// the whole are omitted.
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

    /// Returns, for each column of a rectangle, the share of samples that have the colour, 0…1; empty if no row of the
    /// rectangle is sampled.
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

/// Memory for the sums of masks, which are large and made for each sample of a picture.
struct MaskMemory: Sendable {
    fileprivate var buffers: [[UInt16]] = []

    /// Returns memory for sums: the largest free one.
    fileprivate mutating func next() -> [UInt16] {
        guard let index = buffers.indices.max(by: { buffers[$0].count < buffers[$1].count }) else { return [] }
        return buffers.remove(at: index)
    }
}
