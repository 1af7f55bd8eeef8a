/// Chooses the colours that gutters may have: those of large flat parts, and of lines that cross the whole picture.
struct GutterColours {
    /// The colours, those of the largest parts first.
    private(set) var colours: [FlatColour] = []

    /// The number of colours of flat parts, and of lines.
    private static let mostFlat = 4, mostLines = 2
    /// The least share of the picture that a flat part of a colour covers.
    private static let leastShare = 0.004
    /// The least difference between two colours.
    private static let leastDistance = 7
    /// The distance between the samples that are counted along a row.
    static let step = 8

    init(_ samples: SparseSamples) {
        addFlatParts(samples)
        var count = 0
        addLines(samples.rows, &count) { samples.colour(row: $1, column: $0) }
        addLines(samples.columns, &count) { samples.colour(column: $1, row: $0) }
    }

    private mutating func add(_ colour: FlatColour) -> Bool {
        guard !colours.contains(where: { $0.distance(to: colour) < Self.leastDistance }) else { return false }
        colours.append(colour)
        return true
    }

    /// Adds the colours of the largest flat parts.
    private mutating func addFlatParts(_ samples: SparseSamples) {
        var counts = [Int32](repeating: 0, count: 1 << 16)
        var examples = [Int32](repeating: 0, count: 1 << 16)
        let width = samples.width, luma = samples.rows.luma.values
        var total = 0
        for line in samples.rows.positions.indices.dropLast() {
            for x in stride(from: 0, to: width - 4, by: Self.step) {
                total += 1
                let index = line * width + x
                let value = Int(luma[index])
                guard abs(value - Int(luma[index + 4])) <= 2, abs(value - Int(luma[index + width])) <= 2 else { continue }
                let colour = samples.colour(row: line, column: x)
                let bin = (value >> 2) << 10 | (Int(colour.cb) >> 3) << 5 | Int(colour.cr) >> 3
                counts[bin] += 1
                examples[bin] = Int32(index)
            }
        }
        let least = Int32(max(Self.leastShare * Double(total), 1))
        let bins = counts.indices.filter { counts[$0] >= least }.sorted { counts[$0] > counts[$1] }
        for bin in bins where colours.count < Self.mostFlat {
            let index = Int(examples[bin])
            _ = add(samples.colour(row: index / width, column: index % width))
        }
    }

    /// Adds the colours of positions at which all lines have the same colour.
    private mutating func addLines(
        _ set: SparseSamples.LineSet, _ count: inout Int, colour: (_ position: Int, _ line: Int) -> FlatColour
    ) {
        let length = set.luma.length, lines = set.positions.count
        guard lines >= 8 else { return }
        let values = set.luma.values
        let most = lines / 12
        for position in 0..<length where count < Self.mostLines {
            let value = Int(values[lines / 2 * length + position])
            var misses = 0
            for line in 0..<lines {
                if abs(Int(values[line * length + position]) - value) > ColourMask.lumaTolerance { misses += 1 }
                if misses > most { break }
            }
            if misses <= most, add(colour(position, lines / 2)) { count += 1 }
        }
    }
}
