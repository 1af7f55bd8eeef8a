package import Raster

/// A square part of the upright picture that the palm detector looks at.
package struct PictureWindow: Sendable, Hashable {
    /// In upright pixels.
    package var left, top, side: Double

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

    /// From the pixels of a square tensor that shows the window to upright pixels.
    func tensorToUpright(size: Int) -> AffineTransform {
        AffineTransform.scale(x: side / Double(size), y: side / Double(size))
            .then(.translation(x: left, y: top))
    }
}
