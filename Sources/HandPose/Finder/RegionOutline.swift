import Platform

/// The outer border of a region of pixels. Holes count as filled. ``HoleFinder`` traces it for each region that may be
/// the hole of a heart.
struct RegionOutline {
    /// The midpoints of the pixel edges along the border, clockwise, in pixels.
    let points: [Point]
    /// The area within the border, in pixels.
    let area: Double
    /// The centroid of the area.
    let centre: Point

    /// Follows the border of `region`, with the region on the right-hand side.
    ///
    /// - Returns: `nil` if the border is longer than `limit` edges: such a region is frayed.
    init?(of region: LevelRegion, in samples: [UInt8], width: Int, level: UInt8, limit: Int) {
        // The region does not touch the picture's border, so all pixels that are read exist.
        func isInside(_ x: Int, _ y: Int) -> Bool { (samples[y * width + x] > level) == region.isBright }
        var points: [Point] = []
        var x = region.x, y = region.y
        var dx = 1, dy = 0
        repeat {
            points.append(Point(x: Double(x) + Double(dx) / 2, y: Double(y) + Double(dy) / 2))
            if points.count > limit { return nil }
            x += dx
            y += dy
            // The pixels ahead, to the right and to the left of the direction of travel.
            let right = isInside(x + (dx - dy - 1) / 2, y + (dy + dx - 1) / 2)
            let left = isInside(x + (dx + dy - 1) / 2, y + (dy - dx - 1) / 2)
            if !right { (dx, dy) = (-dy, dx) } else if left { (dx, dy) = (dy, -dx) }
        } while x != region.x || y != region.y || dx != 1
        self.points = points

        var doubled = 0.0, momentX = 0.0, momentY = 0.0
        var last = points[points.count - 1]
        for point in points {
            let cross = last.x * point.y - point.x * last.y
            doubled += cross
            momentX += (last.x + point.x) * cross
            momentY += (last.y + point.y) * cross
            last = point
        }
        guard doubled > 0 else { return nil }
        area = doubled / 2
        centre = Point(x: momentX / (3 * doubled), y: momentY / (3 * doubled))
    }

    /// The roundness: 1 for a circle, and less if the border is long for its area.
    var roundness: Double {
        var length = 0.0
        var last = points[points.count - 1]
        for point in points {
            length += last.distance(to: point)
            last = point
        }
        return 4 * .pi * area / (length * length)
    }
}
