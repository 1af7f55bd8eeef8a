/// A connected region of the pixels of a small picture that lie on one side of a level.
struct LevelRegion {
    /// The leftmost pixel of its top row.
    var x: Int, y: Int
    /// The bounds: `maxX` and `maxY` are inside.
    var minX: Int, maxX: Int, minY: Int, maxY: Int
    /// Its pixels, holes left out.
    var area: Int
    /// Whether it is made of the pixels above the level.
    var isBright: Bool

    var width: Int { maxX - minX + 1 }
    var height: Int { maxY - minY + 1 }

    /// A run of pixels.
    fileprivate init(row: Int, from: Int, to: Int, isBright: Bool) {
        (x, y, minX, maxX, minY, maxY) = (from, row, from, to - 1, row, row)
        area = to - from
        self.isBright = isBright
    }

    /// Takes in a region that begins in the same row or below, or above.
    fileprivate mutating func merge(_ other: LevelRegion) {
        if (other.y, other.x) < (y, x) { (x, y) = (other.x, other.y) }
        minX = min(minX, other.minX)
        maxX = max(maxX, other.maxX)
        minY = min(minY, other.minY)
        maxY = max(maxY, other.maxY)
        area += other.area
    }
}

/// Cuts a small picture into connected regions, those above a level and those that are not.
///
/// Works on runs of pixels: each row is cut into runs, and those that touch runs of their kind in
/// the row above (side by side, not corner to corner) are joined by union-find. Keeps its memory.
struct LevelRegions {
    private var regions: [LevelRegion] = []
    /// For each run the run that it was joined to; itself for one that stands for its region.
    private var parents: [Int] = []
    private var rowAbove: [(from: Int, to: Int, run: Int)] = []
    private var row: [(from: Int, to: Int, run: Int)] = []

    /// The regions that do not touch the picture's border.
    /// - Parameter samples: `width` × `height`, row after row.
    mutating func inner(of samples: [UInt8], width: Int, height: Int, level: UInt8) -> [LevelRegion] {
        regions.removeAll(keepingCapacity: true)
        parents.removeAll(keepingCapacity: true)
        rowAbove.removeAll(keepingCapacity: true)
        for y in 0..<height {
            cut(samples, from: y * width, width: width, row: y, level: level)
            joinRows()
            swap(&row, &rowAbove)
        }
        return regions.indices.compactMap { run in
            let region = regions[run]
            let isInner =
                region.minX > 0 && region.minY > 0 && region.maxX < width - 1 && region.maxY < height - 1
            return parents[run] == run && isInner ? region : nil
        }
    }

    private mutating func cut(_ samples: [UInt8], from start: Int, width: Int, row y: Int, level: UInt8) {
        row.removeAll(keepingCapacity: true)
        var from = 0
        var isBright = samples[start] > level
        for x in 1...width where x == width || (samples[start + x] > level) != isBright {
            row.append((from, x, regions.count))
            parents.append(regions.count)
            regions.append(LevelRegion(row: y, from: from, to: x, isBright: isBright))
            from = x
            isBright.toggle()
        }
    }

    /// Joins the runs of a row with those above that overlap them and are of their kind.
    private mutating func joinRows() {
        var above = 0
        for run in row {
            while above < rowAbove.count, rowAbove[above].to <= run.from { above += 1 }
            var other = above
            while other < rowAbove.count, rowAbove[other].from < run.to {
                join(run.run, rowAbove[other].run)
                other += 1
            }
        }
    }

    private mutating func join(_ a: Int, _ b: Int) {
        let first = root(a), second = root(b)
        guard first != second, regions[first].isBright == regions[second].isBright else { return }
        let (kept, gone) = first < second ? (first, second) : (second, first)
        parents[gone] = kept
        regions[kept].merge(regions[gone])
    }

    private mutating func root(_ run: Int) -> Int {
        var run = run
        while parents[run] != run {
            parents[run] = parents[parents[run]]
            run = parents[run]
        }
        return run
    }
}
