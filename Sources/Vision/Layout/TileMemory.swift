import Raster

/// The tiles of a recording as they were shown last, by which they are recognised after a change. ``LayoutDetector``
/// owns it; a parallel scan joins the memories of a recording's parts.
package struct TileMemory: Sendable {
    /// A tile as it was shown last.
    private struct Known: Sendable {
        var appearance: TileAppearance
        var rect: PictureRegion
        var time: Double
    }

    private var known: [Int: Known] = [:]

    /// The maximum difference of a tile's appearance before and after it moved, in 8-bit codes.
    private static let sameAppearance: Float = 16
    /// The time for which a tile that disappeared is recognised again, in seconds.
    private static let span = 5.0

    package init() {}

    /// Records a tile as it is shown at a time.
    mutating func record(_ id: Int, _ appearance: TileAppearance, at rect: PictureRegion, time: Double) {
        known[id] = Known(appearance: appearance, rect: rect, time: time)
    }

    /// Records that a tile is still shown at a time, without its appearance, which is uncertain.
    mutating func touch(_ id: Int, at time: Double) { known[id]?.time = time }

    /// Discards tiles that were last shown more than ``span`` before a time.
    mutating func forget(at time: Double) {
        known = known.filter { time - $0.value.time <= Self.span && $0.value.time <= time }
    }

    /// Returns the identifiers of the known tiles that rectangles show; `nil` for new tiles.
    func identifiers(of fresh: [(rect: PictureRegion, appearance: TileAppearance)]) -> [Int?] {
        var pairs: [(distance: Float, old: Int, new: Int)] = []
        for (id, tile) in known {
            for (index, item) in fresh.enumerated() {
                let isSamePlace = item.rect.intersectionOverUnion(tile.rect) >= 0.6
                let distance = tile.appearance.distance(to: item.appearance)
                if distance <= (isSamePlace ? 2 : 1) * Self.sameAppearance { pairs.append((distance, id, index)) }
            }
        }
        var ids = [Int?](repeating: nil, count: fresh.count)
        for pair in pairs.sorted(by: { ($0.distance, $0.old, $0.new) < ($1.distance, $1.old, $1.new) })
        where ids[pair.new] == nil && !ids.contains(pair.old) {
            ids[pair.new] = pair.old
        }
        return ids
    }

    /// Recognises the tiles of a later part of the recording, which has numbered its tiles itself. Returns the number
    /// in this memory for each number of `others` that is recognised.
    ///
    /// - Parameter time: the time at which the later part shows its tiles.
    package func identifiers(of others: [Int], in later: TileMemory, at time: Double) -> [Int: Int] {
        var recent = self
        recent.forget(at: time)
        let found = others.filter { later.known[$0] != nil }
        let ids = recent.identifiers(of: found.compactMap { id in later.known[id].map { ($0.rect, $0.appearance) } })
        return Dictionary(uniqueKeysWithValues: zip(found, ids).compactMap { other, id in id.map { (other, $0) } })
    }

    /// Returns the memory with new numbers for the tiles; tiles without a new number are discarded.
    package func renumbered(_ ids: [Int: Int]) -> TileMemory {
        var result = TileMemory()
        for (id, tile) in known { if let new = ids[id] { result.known[new] = tile } }
        return result
    }
}

/// A picture of a tile, reduced to a few cells, by which a tile is recognised after it moved.
struct TileAppearance: Sendable {
    private static let side = 6
    /// The mean luma of each cell.
    private var luma: [Float] = []
    private var cb: Float = 0, cr: Float = 0

    init(_ rect: PictureRegion, _ samples: SparseSamples) {
        let lines = samples.rows.positions.indices.filter { rect.rows.contains(samples.rows.positions[$0]) }
        guard lines.count >= Self.side, rect.width >= Self.side else { return }
        let width = samples.rows.luma.length
        for row in 0..<Self.side {
            let rows = lines[row * lines.count / Self.side..<(row + 1) * lines.count / Self.side]
            for column in 0..<Self.side {
                let left = rect.left + column * rect.width / Self.side
                let right = rect.left + (column + 1) * rect.width / Self.side
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
            for x in stride(from: rect.left, to: rect.right, by: 8) {
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
    func changedShare(in rect: PictureRegion) -> Double {
        let width = rows.luma.length
        guard !rows.isStable.isEmpty else { return 0 }
        var (changed, count) = (0, 0)
        for (line, y) in rows.positions.enumerated() where rect.rows.contains(y) {
            for x in stride(from: rect.left, to: rect.right, by: 4) {
                count += 1
                changed += 1 - Int(rows.isStable[line * width + x])
            }
        }
        return Double(changed) / Double(max(count, 1))
    }
}
