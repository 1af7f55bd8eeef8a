import Platform

/// Measures of the similarity of a region's border to the hole between two hands that make a heart. ``HoleFinder``
/// computes them for each region.
///
/// The unit of all radii is the radius of a circle of the same area.
struct HeartShape {
    /// The heart's rotation from upright, in steps of ``RadialProfile``, clockwise.
    let axis: Int
    /// The mean difference of radii between the halves on both sides of the axis.
    let asymmetry: Double
    /// The radius of the notch at the top and of the tip at the bottom.
    let notch: Double, tip: Double
    /// The maximum radius of each lobe beside the notch.
    let lobes: (left: Double, right: Double)
    /// The height of the lower one of both lobes above the centroid.
    let shoulder: Double
    /// The mean radius of the sides.
    let side: Double

    /// The step of the profile, 7.5° in radians, and the maximum rotation of a heart in steps.
    static let step = 2 * Double.pi / Double(RadialProfile.count)
    private static let largestTurn = 4

    /// Finds the axis that divides the region into the most similar halves.
    init(_ profile: RadialProfile) {
        let half = RadialProfile.count / 2
        func asymmetry(about axis: Int) -> Double {
            (1..<half).reduce(0) { $0 + abs(profile[axis + $1] - profile[axis - $1]) } / Double(half)
        }
        let turns = (-Self.largestTurn...Self.largestTurn).map { ($0, asymmetry(about: $0)) }
        let (axis, minimum) = turns.min { $0.1 < $1.1 }!
        self.axis = axis
        self.asymmetry = minimum
        func radii(_ steps: ClosedRange<Int>) -> [Double] { steps.map { profile[axis + $0] } }
        // The notch is within 15° of up, the lobes from 22° to 75° beside it, and the sides straight across.
        notch = radii(-2...2).min()!
        tip = radii(half - 2...half + 2).max()!
        lobes = (radii(-10 ... -3).max()!, radii(3...10).max()!)
        func height(_ steps: ClosedRange<Int>) -> Double {
            steps.map { profile[axis + $0] * cos(Double($0) * Self.step) }.max()!
        }
        shoulder = min(height(-10 ... -3), height(3...10))
        side = (radii(10...14) + radii(-14 ... -10)).reduce(0, +) / 10
    }

    /// True if the region can be the hole of a heart. The limits include, with a margin, the holes of hearts in photos:
    /// notches of 0.3 to 0.75, and lobes of twice that. A rectangle is excluded, because the middle of its upper side
    /// is not lower than its corners.
    var isHeart: Bool {
        asymmetry < 0.2 && min(lobes.left, lobes.right) > 1.4 * notch && side > 1.05
            && min(lobes.left, lobes.right) > 0.8 * max(lobes.left, lobes.right)
            && notch < 0.93 * shoulder && tip > 1.15 * notch
    }
}

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
