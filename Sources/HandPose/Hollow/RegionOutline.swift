import Platform

/// The outer border of a region of pixels, holes filled.
struct RegionOutline {
    /// The middles of the pixel edges along the border, clockwise, in pixels.
    let points: [Point]
    /// The area within, in pixels.
    let area: Double
    /// The middle of that area.
    let centre: Point

    /// Follows the border of `region` with the region on its right-hand side.
    ///
    /// - Returns: `nil` if the border is longer than `limit` edges: such a region is frayed.
    init?(of region: LevelRegion, in samples: [UInt8], width: Int, level: UInt8, limit: Int) {
        // The region does not touch the picture's border, so that all pixels looked at exist.
        func isInside(_ x: Int, _ y: Int) -> Bool { (samples[y * width + x] > level) == region.isBright }
        var points: [Point] = []
        var x = region.x, y = region.y
        var dx = 1, dy = 0
        repeat {
            points.append(Point(x: Double(x) + Double(dx) / 2, y: Double(y) + Double(dy) / 2))
            if points.count > limit { return nil }
            x += dx
            y += dy
            // The pixels ahead, to the right and to the left of the way.
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

    /// How round it is: 1 for a circle, less the longer the border is for its area.
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

/// How far the border of a region is from its middle, by direction.
struct RadialProfile {
    /// Directions, clockwise from up.
    static let count = 48
    /// The largest distance in each direction, over the radius of a circle of the same area.
    private(set) var radii: [Double]
    /// That radius, in pixels.
    let unit: Double

    /// - Returns: `nil` when the middle lies outside, or nearly.
    init?(_ outline: RegionOutline) {
        let unit = (outline.area / .pi).squareRoot()
        var radii = [Double](repeating: 0, count: Self.count)
        var last = outline.points[outline.points.count - 1]
        for point in outline.points {
            // Two places on each edge, lest a direction go empty beside a small region's border.
            for place in [point, Point(x: (last.x + point.x) / 2, y: (last.y + point.y) / 2)] {
                let dx = place.x - outline.centre.x, dy = place.y - outline.centre.y
                let turn = atan2(dx, -dy) / (2 * .pi) * Double(Self.count)
                let index = (Int(turn.rounded()) + Self.count) % Self.count
                radii[index] = max(radii[index], (dx * dx + dy * dy).squareRoot() / unit)
            }
            last = point
        }
        // A direction without a place takes those of its neighbours.
        for index in radii.indices where radii[index] == 0 {
            let before = radii[(index + Self.count - 1) % Self.count]
            let after = radii[(index + 1) % Self.count]
            guard before > 0, after > 0 else { return nil }
            radii[index] = (before + after) / 2
        }
        self.radii = radii
        self.unit = unit
    }

    /// The radius in a direction, in steps clockwise from up.
    subscript(step: Int) -> Double { radii[((step % Self.count) + Self.count) % Self.count] }

    /// The area of the star that the radii span, over the region's: more than 1 where the border folds back.
    var starArea: Double {
        let sum = radii.indices.reduce(0) { $0 + radii[$1] * self[$1 + 1] }
        return sum * sin(2 * .pi / Double(Self.count)) / (2 * .pi)
    }
}
