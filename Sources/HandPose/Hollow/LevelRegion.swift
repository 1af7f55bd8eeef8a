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
    init(row: Int, from: Int, to: Int, isBright: Bool) {
        (x, y, minX, maxX, minY, maxY) = (from, row, from, to - 1, row, row)
        area = to - from
        self.isBright = isBright
    }

    /// Takes in a region that begins in the same row or below, or above.
    mutating func merge(_ other: LevelRegion) {
        if (other.y, other.x) < (y, x) { (x, y) = (other.x, other.y) }
        minX = min(minX, other.minX)
        maxX = max(maxX, other.maxX)
        minY = min(minY, other.minY)
        maxY = max(maxY, other.maxY)
        area += other.area
    }
}
