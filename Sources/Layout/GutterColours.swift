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
