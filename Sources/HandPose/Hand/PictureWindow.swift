package import Raster

/// A square part of the upright picture that the palm detector looks at.
package struct PictureWindow: Sendable, Hashable {
    /// In upright pixels.
    package var left, top, side: Double
    /// With how many pixels across the detector sees it.
    var detail = 192

    package init(left: Double, top: Double, side: Double) {
        self.left = left
        self.top = top
        self.side = side
    }

    /// The smallest square around the whole picture, scaled about its centre.
    package init(around geometry: DisplayGeometry, scale: Double = 1) {
        side = max(geometry.uprightWidth, geometry.uprightHeight) * scale
        left = (geometry.uprightWidth - side) / 2
        top = (geometry.uprightHeight - side) / 2
    }

    /// The sides of the windows that show hands which fill the picture, in its longer sides: of these the palm detector
    /// misses some in the whole.
    static let fartherLooks = [1.5, 2.2]

    /// A square around something new, so much smaller than the picture that a look through it shows more.
    /// - Parameter margin: the side, in longer sides of what is new.
    init?(around newcomer: Newcomer, margin: Double, geometry: DisplayGeometry) {
        let box = Box(newcomer, geometry: geometry)
        let longest = max(geometry.uprightWidth, geometry.uprightHeight)
        side = margin * max(box.width, box.height, Self.smallestNews * longest)
        left = (box.left + box.right - side) / 2
        top = (box.top + box.bottom - side) / 2
        guard side < Self.widestNews * longest else { return nil }
        detail = Self.detailOfNews
    }

    /// The side, in longer sides of the picture, from which on a window shows no more than the whole does.
    private static let widestNews = 0.6
    /// In the narrowest of these windows a hand is 100 pixels high then, and costs less than half of the whole picture.
    private static let detailOfNews = 128
    /// Of a hand that is smaller, in longer sides of the picture, too little can be read.
    private static let smallestNews = 0.06

    /// Whether a hand that fills a part of the picture can be read.
    static func isReadable(_ box: Box, geometry: DisplayGeometry) -> Bool {
        let longest = max(geometry.uprightWidth, geometry.uprightHeight)
        return max(box.width, box.height) >= smallestNews * longest
    }
}

/// A part of a picture that was not there at the last look: cells that touch each other.
package struct Newcomer: Sendable, Hashable {
    /// In shares of the stored picture's width and height.
    package var left, top, right, bottom: Double
    /// Whether it kept still between two glances.
    var stays = true

    /// The whole picture, as after a cut.
    static let everything = Newcomer(left: 0, top: 0, right: 1, bottom: 1)
}
