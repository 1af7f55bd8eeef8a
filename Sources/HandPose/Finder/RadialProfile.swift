import Platform

/// The distance of a region's border from its centroid, by direction. ``HoleFinder`` computes it to compare the region
/// with a heart.
struct RadialProfile {
    /// The number of directions, which are counted clockwise from up.
    static let count = 48
    /// The maximum distance in each direction, in ``unit``s.
    private(set) var radii: [Double]
    /// The radius of a circle of the same area, in pixels.
    let unit: Double

    /// - Returns: `nil` if two adjacent directions have no border, because the centroid is outside of the region or
    ///   almost outside.
    init?(_ outline: RegionOutline) {
        let unit = (outline.area / .pi).squareRoot()
        var radii = [Double](repeating: 0, count: Self.count)
        var last = outline.points[outline.points.count - 1]
        for point in outline.points {
            // Two places on each edge, so that no direction remains empty for a small region.
            for place in [point, Point(x: (last.x + point.x) / 2, y: (last.y + point.y) / 2)] {
                let dx = place.x - outline.centre.x, dy = place.y - outline.centre.y
                let turn = atan2(dx, -dy) / (2 * .pi) * Double(Self.count)
                let index = (Int(turn.rounded()) + Self.count) % Self.count
                radii[index] = max(radii[index], (dx * dx + dy * dy).squareRoot() / unit)
            }
            last = point
        }
        // A direction without a place takes the value of its neighbours.
        for index in radii.indices where radii[index] == 0 {
            let before = radii[(index + Self.count - 1) % Self.count]
            let after = radii[(index + 1) % Self.count]
            guard before > 0, after > 0 else { return nil }
            radii[index] = (before + after) / 2
        }
        self.radii = radii
        self.unit = unit
    }

    /// The radius in a direction, which is given in steps clockwise from up.
    subscript(step: Int) -> Double { radii[((step % Self.count) + Self.count) % Self.count] }

    /// The ratio of the area of the star that the radii span to the region's area. The ratio is more than 1 if the
    /// border folds back, as seen from the centroid.
    var starArea: Double {
        let sum = radii.indices.reduce(0) { $0 + radii[$1] * self[$1 + 1] }
        return sum * sin(2 * .pi / Double(Self.count)) / (2 * .pi)
    }
}
