import Platform
internal import Raster

/// A square part of the upright picture in which the palm detector runs.
package struct PictureWindow: Sendable, Hashable {
    /// The place and the side, in upright pixels.
    package var left, top, side: Double
    /// The width in pixels to which the detector reduces the window.
    var detail = 192
}

extension PictureWindow {
    /// The smallest square around the whole picture, scaled about its centre.
    init(around geometry: DisplayGeometry, scale: Double = 1) {
        side = max(geometry.uprightWidth, geometry.uprightHeight) * scale
        left = (geometry.uprightWidth - side) / 2
        top = (geometry.uprightHeight - side) / 2
    }

    /// The sides of the windows for hands that fill the picture, as multiples of the picture's longer side. The palm
    /// detector misses some of these hands in the whole picture.
    static let farScales = [1.5, 2.2]

    /// Creates a square around a changed region; nil if the square is too large to show more detail than the whole
    /// picture.
    /// - Parameter margin: The side, as a multiple of the longer side of the changed region.
    init?(around region: ChangedRegion, margin: Double, geometry: DisplayGeometry) {
        let box = Box(region, geometry: geometry)
        let longest = max(geometry.uprightWidth, geometry.uprightHeight)
        side = margin * max(box.width, box.height, Self.smallestChange * longest)
        left = (box.left + box.right - side) / 2
        top = (box.top + box.bottom - side) / 2
        guard side < Self.widestChange * longest else { return nil }
        detail = Self.detailOfChange
    }

    /// The side of a window, relative to the picture's longer side, from which the window adds no detail to the whole
    /// picture.
    private static let widestChange = 0.6
    /// The width in pixels to which windows around changed regions are reduced. In the narrowest window a hand is then
    /// 100 pixels high, at less than half the cost of the whole picture.
    private static let detailOfChange = 128
    /// The minimum size of a readable hand, relative to the picture's longer side.
    private static let smallestChange = 0.06

    /// Returns whether a hand that fills a part of the picture can be read.
    static func isReadable(_ box: Box, geometry: DisplayGeometry) -> Bool {
        let longest = max(geometry.uprightWidth, geometry.uprightHeight)
        return max(box.width, box.height) >= smallestChange * longest
    }
}

/// A part of a picture that has changed since the last detection. The part consists of adjacent changed cells of the
/// picture's grid (``SceneChangeDetector``).
package struct ChangedRegion: Sendable, Hashable {
    /// The edges in fractions of the stored picture's width and height.
    package var left, top, right, bottom: Double
    /// True if the region was still between two updates.
    var stays = true

    /// The whole picture, as after a cut.
    static let everything = ChangedRegion(left: 0, top: 0, right: 1, bottom: 1)
}

/// A rectangle in the upright picture, in upright pixels.
typealias Box = Rectangle

extension Box {
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
}

/// A place in the upright picture, in upright pixels.
struct Point: Sendable, Hashable {
    var x, y: Double

    func distance(to other: Point) -> Double {
        ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
    }
}
