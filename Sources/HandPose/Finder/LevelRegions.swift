internal import Raster

/// Divides a reduced picture into connected regions above a level and connected regions at or below it.
///
/// Along a row, samples cross a level at certain columns. One pass finds all crossings of all levels, so the cost of a
/// level depends on its crossings rather than on pixels. Runs between crossings are joined by union-find with runs of
/// the same kind in the row above, if they touch by a side. The memory is reused.
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

    /// Returns, for each code, the number of levels that it exceeds.
    private static func ranks(_ levels: [UInt8]) -> [UInt8] {
        (0...255).map { value in UInt8(levels.count { $0 < value }) }
    }

    /// Returns the regions that do not touch the picture's border.
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
    /// The leftmost pixel of its top row.
    var x: Int, y: Int
    /// The bounds, inclusive of `maxX` and `maxY`.
    var minX: Int, maxX: Int, minY: Int, maxY: Int
    /// The number of its pixels; holes do not count.
    var area: Int
    /// A Boolean value that indicates whether the region consists of the pixels above the level.
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

/// A picture, reduced and upright, of which one channel is used at a time.
struct SmallPicture: ~Copyable {
    /// A channel that separates a hand from the background.
    enum Channel: Int, CaseIterable {
        case luma, cb, cr
    }

    private(set) var width = 0, height = 0
    /// The number of upright pixels for each of its pixels.
    private(set) var scale = 1.0
    /// The channel that was selected last: `width` × `height` codes of 8 bits, row after row.
    private(set) var samples: [UInt8] = []

    private var resampler = TensorResampler()
    /// The channels before they are smoothed.
    private var luma: [UInt8] = [], cb: [UInt8] = [], cr: [UInt8] = []

    init() {}

    /// Loads a picture.
    /// - Parameter longSide: The longer side of the reduced picture in pixels.
    mutating func draw(_ picture: borrowing Picture, geometry: DisplayGeometry, longSide: Int) {
        scale = max(geometry.uprightWidth, geometry.uprightHeight) / Double(longSide)
        width = max(8, Int((geometry.uprightWidth / scale).rounded()))
        height = max(8, Int((geometry.uprightHeight / scale).rounded()))
        let count = width * height
        if samples.count != count {
            samples = [UInt8](repeating: 0, count: count)
            (luma, cb, cr) = (samples, samples, samples)
        }
        let toStored = AffineTransform.scale(x: scale, y: scale).then(geometry.uprightToStored)
        resampler.resamplePlanes(
            picture, toStored: toStored, width: width, height: height, luma: &luma, cb: &cb, cr: &cr)
    }

    /// Fills ``samples``, smoothed slightly against noise.
    mutating func select(_ channel: Channel) {
        switch channel {
        case .luma: Self.smooth(luma, width: width, height: height, into: &samples)
        case .cb: Self.smooth(cb, width: width, height: height, into: &samples)
        case .cr: Self.smooth(cr, width: width, height: height, into: &samples)
        }
    }

    /// Applies the binomial weights 1 2 1 across and down; the border does not change.
    private static func smooth(_ rough: [UInt8], width: Int, height: Int, into samples: inout [UInt8]) {
        samples = rough
        let rough = rough.span
        var smooth = samples.mutableSpan
        for y in 1..<height - 1 {
            let start = y * width
            let above = rough.extracting(start - width..<start)
            let below = rough.extracting(start + width..<start + 2 * width)
            let line = rough.extracting(start..<start + width)
            for x in 1..<width - 1 {
                let left = down(above[x &- 1], line[x &- 1], below[x &- 1])
                let middle = down(above[x], line[x], below[x])
                let right = down(above[x &+ 1], line[x &+ 1], below[x &+ 1])
                smooth[start &+ x] = UInt8(truncatingIfNeeded: (left &+ 2 &* middle &+ right &+ 8) &>> 4)
            }
        }
    }

    @inline(__always)
    private static func down(_ above: UInt8, _ line: UInt8, _ below: UInt8) -> UInt16 {
        UInt16(above) &+ 2 &* UInt16(line) &+ UInt16(below)
    }

    /// Returns the values that these shares of the samples do not exceed.
    func quantiles(_ low: Double, _ high: Double) -> (low: Int, high: Int) {
        var histogram = [Int](repeating: 0, count: 256)
        for value in samples { histogram[Int(value)] += 1 }
        func value(_ share: Double) -> Int {
            let wanted = share * Double(samples.count)
            var sum = 0
            return histogram.firstIndex {
                sum += $0
                return Double(sum) > wanted
            } ?? 255
        }
        return (value(low), value(high))
    }
}
