internal import Raster

/// Divides a reduced picture into connected regions above a brightness level and connected regions at or below it.
/// ``HoleFinder`` owns it, and loads one channel of a picture at a time.
///
/// Along a row, samples cross a level at certain columns. One pass finds all crossings of all levels, so the cost of a
/// level depends on its crossings rather than on pixels. A run between two crossings is joined (by union-find) with
/// each run of the same kind in the row above that it touches by a side. The memory is reused for the next picture.
struct LevelRegions {
    private var width = 0, height = 0
    /// For each level, the columns at which a run of pixels ends, including the picture's right border, row after row.
    private var ends: [[Int32]] = []
    /// For each row, the number of levels that its first pixel exceeds.
    private var firstRanks: [Int] = []

    private var regions: [LevelRegion] = []
    /// For each region, the region to which it was joined; a root refers to itself.
    private var parents: [Int] = []
    private var above: [LevelRun] = [], row: [LevelRun] = []

    /// Loads a picture and the levels.
    /// - Parameters:
    ///   - samples: `width` × `height`, row after row.
    ///   - levels: Ascending.
    mutating func load(_ samples: [UInt8], width: Int, height: Int, levels: [UInt8]) {
        (self.width, self.height) = (width, height)
        while ends.count < levels.count { ends.append([]) }
        for index in levels.indices { ends[index].removeAll(keepingCapacity: true) }
        firstRanks.removeAll(keepingCapacity: true)
        let ranks = Self.ranks(levels)
        for y in 0..<height {
            var last = Int(ranks[Int(samples[y * width])])
            firstRanks.append(last)
            for x in 1..<width {
                let rank = Int(ranks[Int(samples[y * width + x])])
                if rank == last { continue }
                for index in min(rank, last)..<max(rank, last) { ends[index].append(Int32(x)) }
                last = rank
            }
            for index in levels.indices { ends[index].append(Int32(width)) }
        }
    }

    /// Returns, for each code value, the number of levels that it exceeds.
    private static func ranks(_ levels: [UInt8]) -> [UInt8] {
        (0...255).map { value in UInt8(levels.count { $0 < value }) }
    }

    /// Returns the regions at a level that do not touch the picture's border.
    /// - Parameter index: The index of a level.
    mutating func inner(at index: Int) -> [LevelRegion] {
        regions.removeAll(keepingCapacity: true)
        parents.removeAll(keepingCapacity: true)
        above.removeAll(keepingCapacity: true)
        var next = 0
        for y in 0..<height {
            row.removeAll(keepingCapacity: true)
            var from: Int32 = 0, isBright = firstRanks[y] > index
            var touched = 0
            while from < width {
                let end = ends[index][next]
                add(from: from, to: end, row: y, isBright: isBright, touched: &touched)
                (from, isBright) = (end, !isBright)
                next += 1
            }
            swap(&row, &above)
        }
        return regions.indices.compactMap { region in
            let found = regions[region]
            let isInner = found.minX > 0 && found.minY > 0 && found.maxX < width - 1 && found.maxY < height - 1
            return parents[region] == region && isInner ? found : nil
        }
    }

    /// Adds a run to the regions that it touches in the row above, or begins a region.
    /// - Parameter touched: The first run in the row above that this run or later runs may touch.
    private mutating func add(from: Int32, to: Int32, row y: Int, isBright: Bool, touched: inout Int) {
        while touched < above.count, above[touched].to <= from { touched += 1 }
        var region: Int?
        var other = touched
        while other < above.count, above[other].from < to {
            if above[other].isBright == isBright {
                let root = root(above[other].region)
                region = region.map { joined($0, root) } ?? root
            }
            other += 1
        }
        let part = LevelRegion(row: y, from: Int(from), to: Int(to), isBright: isBright)
        if let region {
            regions[region].merge(part)
        } else {
            parents.append(regions.count)
            regions.append(part)
        }
        row.append(LevelRun(from: from, to: to, isBright: isBright, region: region ?? regions.count - 1))
    }

    private mutating func joined(_ first: Int, _ second: Int) -> Int {
        guard first != second else { return first }
        let (kept, gone) = first < second ? (first, second) : (second, first)
        parents[gone] = kept
        regions[kept].merge(regions[gone])
        return kept
    }

    private mutating func root(_ region: Int) -> Int {
        var region = region
        while parents[region] != region {
            parents[region] = parents[parents[region]]
            region = parents[region]
        }
        return region
    }
}

/// A run of pixels in one row that are on the same side of a level.
private struct LevelRun {
    /// The first column, and the column after the last one.
    var from: Int32, to: Int32
    var isBright: Bool
    var region: Int
}

/// A connected region of the pixels of a reduced picture on one side of a level.
struct LevelRegion {
    /// The leftmost pixel of the region's top row.
    var x: Int, y: Int
    /// The bounds, inclusive of `maxX` and `maxY`.
    var minX: Int, maxX: Int, minY: Int, maxY: Int
    /// The number of the region's pixels, without holes in it.
    var area: Int
    /// True if the region consists of the pixels above the level.
    var isBright: Bool

    var width: Int { maxX - minX + 1 }
    var height: Int { maxY - minY + 1 }

    /// Creates a region of one run of pixels.
    init(row: Int, from: Int, to: Int, isBright: Bool) {
        (x, y, minX, maxX, minY, maxY) = (from, row, from, to - 1, row, row)
        area = to - from
        self.isBright = isBright
    }

    /// Merges another region; both may begin in any row.
    mutating func merge(_ other: LevelRegion) {
        if (other.y, other.x) < (y, x) { (x, y) = (other.x, other.y) }
        minX = min(minX, other.minX)
        maxX = max(maxX, other.maxX)
        minY = min(minY, other.minY)
        maxY = max(maxY, other.maxY)
        area += other.area
    }
}
