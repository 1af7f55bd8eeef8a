import Platform
import Raster

/// Marks the samples of a picture that have the colour of its gutters (the gaps between the tiles of a gallery).
/// ``TileFinder`` makes one for each colour that it tries. Prefix sums give the share in any part of a column or row
/// without a further pass over the samples.
struct ColourMask: Sendable {
    /// Prefix sums over lines: `sums[i * length + p]` is the number of matches at position `p` in the first `i` lines.
    private struct Sums: Sendable {
        var positions: [Int] = []
        var length = 0
        var sums: [UInt16] = []

        /// Returns the indices of the lines whose positions are in a range.
        func lines(in range: Range<Int>) -> Range<Int> {
            guard let first = positions.first, positions.count > 1 else { return 0..<0 }
            let step = positions[1] - first
            func index(_ position: Int) -> Int {
                ((position - first + step - 1) / step).clamped(to: 0...positions.count)
            }
            let high = index(range.upperBound)
            return min(index(range.lowerBound), high)..<high
        }
    }

    /// Sums for the shares of columns: lines are sampled rows.
    private var acrossRows = Sums()
    /// Sums for the shares of rows: lines are sampled columns.
    private var acrossColumns = Sums()

    /// The tolerances for the colour of an active speaker's frame. The tolerances are large because compression blurs
    /// thin lines.
    static let frameLumaTolerance = 24, frameChromaTolerance = 40
    /// The maximum width of an active speaker's frame in samples. Wider runs of its colour are content, such as a wall.
    private static let frameWidth = 14
    /// The limits for thin gutters that compression blurred. In the middle of the gutter, luma differs from the
    /// gutters' colour by at most the first. In the content on both sides, the difference is greater by at least the
    /// second.
    private static let blurredLuma: UInt8 = 48, blurredContrast: UInt8 = 16
    /// The distance from the middle of a thin gutter to the content, in samples.
    private static let blurredReach = 3

    /// - Parameters:
    ///   - frame: the colour of the active speaker's frame, which counts as gutter, too.
    ///   - lineStep: the step through the sampled lines; 1 uses all of them.
    ///   - memory: buffers for the mask's sums; returned with ``release(to:)``.
    init(
        _ samples: SparseSamples, _ tone: GutterTone, frame: FlatColour? = nil, lineStep: Int = 1,
        memory: inout MaskMemory
    ) {
        var targets = [
            Target(
                colour: tone.colour, luma: UInt8(tone.luma), chroma: UInt8(tone.chroma),
                blurred: tone.isThin ? Self.blurredLuma : 0)
        ]
        if let frame {
            targets.append(
                Target(
                    colour: frame, luma: UInt8(Self.frameLumaTolerance), chroma: UInt8(Self.frameChromaTolerance),
                    longest: Self.frameWidth))
        }
        acrossRows = Self.sum(samples.rows, targets, lineStep, memory.next())
        acrossColumns = Self.sum(samples.columns, targets, lineStep, memory.next())
    }

    /// Returns the buffers of the sums for reuse, and ends the mask.
    consuming func release(to memory: inout MaskMemory) {
        memory.buffers.append(acrossRows.sums)
        memory.buffers.append(acrossColumns.sums)
    }

    /// A colour to mark, with the maximum differences from it in 8-bit codes.
    private struct Target {
        var colour: FlatColour
        var luma: UInt8, chroma: UInt8
        /// The maximum difference of luma in a thin line; 0 if lines are not thin.
        var blurred: UInt8 = 0
        /// The maximum length of a run of the colour, in samples; 0 for no limit.
        var longest = 0
    }

    private static func sum(
        _ set: SparseSamples.LineSet, _ targets: [Target], _ lineStep: Int, _ memory: consuming [UInt16]
    ) -> Sums {
        let length = set.luma.length
        let lines = Array(stride(from: lineStep / 2, to: set.positions.count, by: lineStep))
        var sums = memory
        if sums.count < length * (lines.count + 1) { sums = [UInt16](repeating: 0, count: length * (lines.count + 1)) }
        for index in 0..<length { sums[index] = 0 }
        var isNear = [UInt8](repeating: 0, count: length), isMatch = isNear, distances = isNear
        for (number, line) in lines.enumerated() {
            for (index, target) in targets.enumerated() {
                markChroma(set, line, target, &isNear)
                let luma = set.luma.values.span.extracting(line * length..<(line + 1) * length)
                if target.longest > 0 { removeLongRuns(luma, target, &isNear) }
                markLuma(luma, target, isNear.span, &isMatch, adds: index > 0)
                if target.blurred > 0 { markThinLines(luma, target, isNear.span, &distances, &isMatch) }
            }
            let stable = set.isStable.span
            let mask = isMatch.span
            var to = sums.mutableSpan
            let base = number * length, next = base + length
            if stable.isEmpty {
                for position in 0..<length {
                    // `sums` has room for one line more than are sampled.
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

    /// Clears the marks of runs of a colour that are longer than a frame is wide.
    private static func removeLongRuns(_ luma: Span<UInt8>, _ target: Target, _ isNear: inout [UInt8]) {
        var to = isNear.mutableSpan
        let count = min(to.count, luma.count)
        var start = 0
        for index in 0...count {
            if index < count, to[index] != 0, isWithin(luma[index], target.colour.luma, target.luma) != 0 { continue }
            if index - start > target.longest { for position in start..<index { to[position] = 0 } }
            start = index + 1
        }
    }

    /// Marks the middle of thin lines, where samples are nearer to the colour than on both sides.
    private static func markThinLines(
        _ luma: Span<UInt8>, _ target: Target, _ isNear: Span<UInt8>, _ distances: inout [UInt8],
        _ isMatch: inout [UInt8]
    ) {
        let value = target.colour.luma, maximum = target.blurred
        var to = isMatch.mutableSpan
        let count = min(min(to.count, luma.count), min(isNear.count, distances.count)), reach = blurredReach
        guard count > 2 * reach else { return }
        var differences = distances.mutableSpan
        for index in 0..<count {
            let sample = unsafe luma[unchecked: index]
            // At most 191, so that adding the contrast does not overflow.
            unsafe differences[unchecked: index] = min(max(sample, value) &- min(sample, value), 191)
        }
        for index in reach..<count - reach {
            // All positions are within the line.
            let own = unsafe differences[unchecked: index], limit = own &+ blurredContrast
            let before = unsafe differences[unchecked: index &- reach]
            let after = unsafe differences[unchecked: index &+ reach]
            let isLine: UInt8 = own <= maximum && limit <= before && limit <= after ? 1 : 0
            unsafe to[unchecked: index] |= isLine & isNear[unchecked: index]
        }
    }

    /// Returns the share of samples in a rectangle that have the colour, 0…1.
    func share(in rect: PictureRegion) -> Float {
        let shares = columnShares(in: rect)
        return shares.isEmpty ? 0 : shares.reduce(0, +) / Float(shares.count)
    }

    /// The number of lines next to a side that are examined; one of them must show the gutter.
    private static let outside = 3

    /// Returns, for each side of a rectangle, the share of the colour in the line just outside that has most of it.
    /// Sides at the border of `whole` are omitted.
    func sharesAround(_ rect: PictureRegion, within whole: PictureRegion) -> [Float] {
        let (columns, rows) = (rect.columns, rect.rows)
        var shares: [Float] = []
        for start in [columns.lowerBound - Self.outside, columns.upperBound] {
            let lines = start..<start + Self.outside
            guard lines.clamped(to: whole.columns) == lines else { continue }
            shares.append(columnShares(in: PictureRegion(columns: lines, rows: rows)).max() ?? 0)
        }
        for start in [rows.lowerBound - Self.outside, rows.upperBound] {
            let lines = start..<start + Self.outside
            guard lines.clamped(to: whole.rows) == lines else { continue }
            shares.append(rowShares(in: PictureRegion(columns: columns, rows: lines)).max() ?? 0)
        }
        return shares
    }

    /// Returns, for each column of a rectangle, the share of samples that have the colour, 0…1; empty if no row of the
    /// rectangle is sampled.
    func columnShares(in rect: PictureRegion) -> [Float] {
        Self.shares(acrossRows, along: rect.columns, within: rect.rows)
    }

    /// Returns, for each row of a rectangle, the share of samples that have the colour, 0…1; empty if no column is
    /// sampled.
    func rowShares(in rect: PictureRegion) -> [Float] {
        Self.shares(acrossColumns, along: rect.rows, within: rect.columns)
    }

    private static func shares(_ sums: Sums, along range: Range<Int>, within extent: Range<Int>) -> [Float] {
        let lines = sums.lines(in: extent)
        guard !lines.isEmpty else { return [] }
        let scale = 1 / Float(lines.count)
        let high = lines.upperBound * sums.length, low = lines.lowerBound * sums.length
        return range.map { Float(sums.sums[high + $0] &- sums.sums[low + $0]) * scale }
    }
}

/// Buffers for the sums of masks. The buffers are reused, because they are large and needed for each picture that is
/// sampled.
struct MaskMemory: Sendable {
    fileprivate var buffers: [[UInt16]] = []

    /// Returns the largest free buffer; empty if none is free.
    fileprivate mutating func next() -> [UInt16] {
        guard let index = buffers.indices.max(by: { buffers[$0].count < buffers[$1].count }) else { return [] }
        return buffers.remove(at: index)
    }
}
