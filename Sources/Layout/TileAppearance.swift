/// A picture of a tile, reduced to a few cells, by which a tile is recognised after it moved.
struct TileAppearance: Sendable {
    private static let side = 6
    /// The mean luma of each cell.
    private var luma: [Float] = []
    private var cb: Float = 0, cr: Float = 0

    init(_ rect: TileRect, _ samples: SparseSamples) {
        let lines = samples.rows.positions.indices.filter { rect.rows.contains(samples.rows.positions[$0]) }
        guard lines.count >= Self.side, rect.width >= Self.side else { return }
        let width = samples.rows.luma.length
        for row in 0..<Self.side {
            let rows = lines[row * lines.count / Self.side..<(row + 1) * lines.count / Self.side]
            for column in 0..<Self.side {
                let left = rect.columns.lowerBound + column * rect.width / Self.side
                let right = rect.columns.lowerBound + (column + 1) * rect.width / Self.side
                var (sum, count) = (0, 0)
                for line in rows {
                    for x in stride(from: left, to: right, by: 3) {
                        sum += Int(samples.rows.luma.values[line * width + x])
                        count += 1
                    }
                }
                luma.append(Float(sum) / Float(max(count, 1)))
            }
        }
        var (sumCb, sumCr, count) = (0, 0, 0)
        for line in lines {
            for x in stride(from: rect.columns.lowerBound, to: rect.columns.upperBound, by: 8) {
                let colour = samples.colour(row: line, column: x)
                sumCb += Int(colour.cb)
                sumCr += Int(colour.cr)
                count += 1
            }
        }
        (cb, cr) = (Float(sumCb) / Float(max(count, 1)), Float(sumCr) / Float(max(count, 1)))
    }

    /// Returns the mean difference of the cells in codes of 8 bits; infinity if one of the tiles was too small for
    /// cells.
    func distance(to other: TileAppearance) -> Float {
        guard !luma.isEmpty, luma.count == other.luma.count else { return .infinity }
        let sum = zip(luma, other.luma).reduce(Float(0)) { $0 + abs($1.0 - $1.1) }
        return sum / Float(luma.count) + abs(cb - other.cb) + abs(cr - other.cr)
    }
}

extension SparseSamples {
    /// Returns the share of the samples in a rectangle that changed over the last sampled pictures, 0…1.
    func changedShare(in rect: TileRect) -> Double {
        let width = rows.luma.length
        guard !rows.isStable.isEmpty else { return 0 }
        var (changed, count) = (0, 0)
        for (line, y) in rows.positions.enumerated() where rect.rows.contains(y) {
            for x in stride(from: rect.columns.lowerBound, to: rect.columns.upperBound, by: 4) {
                count += 1
                changed += 1 - Int(rows.isStable[line * width + x])
            }
        }
        return Double(changed) / Double(max(count, 1))
    }
}
