import Platform
import Raster

/// A rectangle with sides along the axes.
struct Box: Sendable, Hashable {
    var left, top, right, bottom: Double

    init(left: Double, top: Double, right: Double, bottom: Double) {
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
    }

    /// Creates the smallest box that contains all of the points.
    init(around points: [Point]) {
        self.init(left: .infinity, top: .infinity, right: -.infinity, bottom: -.infinity)
        for point in points {
            left = min(left, point.x)
            right = max(right, point.x)
            top = min(top, point.y)
            bottom = max(bottom, point.y)
        }
    }

    init(_ region: HandRegion) {
        let half = region.side / 2
        self.init(
            left: region.centreX - half, top: region.centreY - half,
            right: region.centreX + half, bottom: region.centreY + half)
    }

    /// Creates the box of a changed region, in upright pixels.
    init(_ region: ChangedRegion, geometry: DisplayGeometry) {
        let toUpright = geometry.uprightToStored.inverse
        let width = Double(geometry.storedWidth), height = Double(geometry.storedHeight)
        let first = toUpright.apply(x: region.left * width, y: region.top * height)
        let last = toUpright.apply(x: region.right * width, y: region.bottom * height)
        self.init(
            left: min(first.x, last.x), top: min(first.y, last.y), right: max(first.x, last.x),
            bottom: max(first.y, last.y))
    }

    var width: Double { right - left }
    var height: Double { bottom - top }
    var area: Double { width * height }

    /// Returns the area of the intersection of both boxes.
    func overlap(_ other: Box) -> Double {
        let w = min(right, other.right) - max(left, other.left)
        let h = min(bottom, other.bottom) - max(top, other.top)
        return w > 0 && h > 0 ? w * h : 0
    }

    func intersectionOverUnion(_ other: Box) -> Double {
        let overlap = overlap(other)
        return overlap > 0 ? overlap / (area + other.area - overlap) : 0
    }
}

/// A place in the upright picture, in upright pixels.
struct Point: Sendable, Hashable {
    var x, y: Double

    func distance(to other: Point) -> Double {
        ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
    }
}
