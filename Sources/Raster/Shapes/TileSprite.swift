/// A rasterised picture made ready to be drawn often: premultiplied, with a
/// transparent border, at every half of its size (mip levels).
package struct TileSprite: Sendable {
    /// One size of the picture. A texel holds red, green, blue and alpha, the first in
    /// the low byte.
    struct Level: Sendable {
        let width: Int
        let height: Int
        let texels: [UInt32]
        /// For each row: the columns (border included) where it or the next one shows anything.
        let visible: [Range<Int>]
        /// Texels from one row to the next, border included.
        var stride: Int { width + 2 * TileSprite.border }

        /// Those steps of a straight walk (16.16 fixed point) at which a texel, its right neighbour and those
        /// below are in the raster.
        func part(ofWalk start: (x: Int, y: Int), by step: (x: Int, y: Int), _ count: Int) -> Range<Int> {
            let rows = texels.count / stride
            let along = Self.steps(from: start.x, by: step.x, below: (stride - 1) << 16, count)
            let down = Self.steps(from: start.y, by: step.y, below: (rows - 1) << 16, count)
            let part =
                max(
                    along.lowerBound, down.lowerBound)..<max(
                    max(along.lowerBound, down.lowerBound), min(along.upperBound, down.upperBound))
            return part.isEmpty ? 0..<0 : part
        }

        /// The steps at which 0 ≤ start + i · step < limit.
        private static func steps(from start: Int, by step: Int, below limit: Int, _ count: Int) -> Range<Int> {
            if step == 0 { return start >= 0 && start < limit ? 0..<count : 0..<0 }
            if step < 0 {
                // Seen from the other side it rises.
                return steps(from: limit - 1 - start, by: -step, below: limit, count)
            }
            let first = start >= 0 ? 0 : (step - 1 - start) / step
            let end = start >= limit ? 0 : (limit - 1 - start) / step + 1
            return min(first, count)..<max(min(first, count), min(end, count))
        }
    }

    /// Transparent texels on each side: edges fade out, and rounding never reads outside.
    static let border = 2

    let levels: [Level]
    package let width: Int
    package let height: Int

    init(levels: [Level], width: Int, height: Int) {
        self.levels = levels
        self.width = width
        self.height = height
    }

    /// The smallest level that still has a texel for each pixel, `blur` levels (or parts of
    /// one) smaller on request.
    ///
    /// - Parameter scale: pixels covered over pixels of the full size.
    func level(forScale scale: Double, blur: Double) -> Level {
        // What is a little out of focus may do with a little less than a texel for each pixel: about
        // 2 to the blur's power.
        let enough = 0.6 * (1 + blur * (1 + blur) / 2)
        var (index, s) = (0, scale)
        while s <= enough, index < levels.count - 1 {
            s *= 2
            index += 1
        }
        return levels[index]
    }
}
