import Platform

/// A region of a picture with the shape of a heart: perhaps the hollow between two hands that make one.
///
/// Places are upright pixels.
struct Hollow {
    var centre: Point
    /// Where the notch is on top, and the tip below.
    var notch: Point, tip: Point
    /// The size of its bounds.
    var width: Double, height: Double
    /// How far it is turned from standing upright, clockwise, in radians.
    var axis: Double
    /// At how many levels it was seen, in those of ``HollowPass/coarse``.
    var levels = 1

    /// - Parameter scale: upright pixels for each pixel of the outline.
    init(_ region: LevelRegion, _ outline: RegionOutline, _ profile: RadialProfile, _ shape: HeartShape, scale: Double)
    {
        let centre = Point(x: outline.centre.x * scale, y: outline.centre.y * scale)
        let axis = Double(shape.axis) * HeartShape.step
        let unit = profile.unit * scale
        func place(_ radius: Double) -> Point {
            Point(x: centre.x + radius * unit * sin(axis), y: centre.y - radius * unit * cos(axis))
        }
        notch = place(shape.notch)
        tip = place(-shape.tip)
        (self.centre, self.axis) = (centre, axis)
        width = Double(region.width) * scale
        height = Double(region.height) * scale
    }

    /// A hollow of which no more is known than its ends. Between hands it is a little wider than high.
    init(notch: Point, tip: Point, axis: Double) {
        (self.notch, self.tip, self.axis) = (notch, tip, axis)
        centre = Point(x: (notch.x + tip.x) / 2, y: (notch.y + tip.y) / 2)
        height = notch.distance(to: tip)
        width = 1.2 * height
    }

    /// The side of a square of the same size.
    var size: Double { (width * height).squareRoot() }

    /// Whether both can be one, seen at different levels.
    func isSame(as other: Hollow) -> Bool { isLike(other, distance: 0.15, growth: 1.25) }

    /// Whether it can be what `other` was a moment ago.
    func mayFollow(_ other: Hollow) -> Bool { isLike(other, distance: 0.5, growth: 1.5) }

    /// - Parameters:
    ///   - distance: how far apart both may be, in sizes of the larger one.
    ///   - growth: how many times as large one may be.
    private func isLike(_ other: Hollow, distance: Double, growth: Double) -> Bool {
        centre.distance(to: other.centre) < distance * max(size, other.size)
            && size < growth * other.size && other.size < growth * size
    }
}
