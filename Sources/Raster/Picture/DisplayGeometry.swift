/// The rotation that makes a stored picture upright.
///
/// Phones store frames as the sensor reads them, with the rotation as metadata (a display matrix). The rotation is
/// clockwise, after an optional mirroring of the stored picture left to right.
package struct Orientation: Sendable, Hashable {
    /// Clockwise quarter turns, 0…3.
    package var quarterTurns: Int
    package var mirrored: Bool

    package init(quarterTurns: Int = 0, mirrored: Bool = false) {
        self.quarterTurns = ((quarterTurns % 4) + 4) % 4
        self.mirrored = mirrored
    }

    package static let upright = Orientation()
}

/// The relation of the upright picture, which has square pixels, to the stored picture.
///
/// Detection and effects use *upright* coordinates: square pixels, the head at the top. A geometry maps between upright
/// coordinates and the samples in memory.
package struct DisplayGeometry: Sendable, Hashable {
    package let storedWidth: Int
    package let storedHeight: Int
    /// The width of a stored pixel over its height.
    package let sampleAspectRatio: Double
    package let orientation: Orientation

    /// The upright picture's size in square pixels. Its height is the stored picture's height or, for one or three
    /// quarter turns, the stored width in square pixels.
    package let uprightWidth: Double
    package let uprightHeight: Double

    /// The transform from upright pixels to stored pixels.
    package let uprightToStored: AffineTransform

    package init(
        storedWidth: Int, storedHeight: Int, sampleAspectRatio: Double = 1,
        orientation: Orientation = .upright
    ) {
        let ratio = sampleAspectRatio > 0 && sampleAspectRatio.isFinite ? sampleAspectRatio : 1
        self.storedWidth = storedWidth
        self.storedHeight = storedHeight
        self.sampleAspectRatio = ratio
        self.orientation = orientation

        let w = Double(storedWidth) * ratio
        let h = Double(storedHeight)
        var toUpright = AffineTransform.scale(x: ratio, y: 1)
        if orientation.mirrored {
            toUpright = toUpright.then(AffineTransform(a: -1, b: 0, c: 0, d: 1, tx: w, ty: 0))
        }
        switch orientation.quarterTurns {
        case 1: toUpright = toUpright.then(AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: h, ty: 0))
        case 2: toUpright = toUpright.then(AffineTransform(a: -1, b: 0, c: 0, d: -1, tx: w, ty: h))
        case 3: toUpright = toUpright.then(AffineTransform(a: 0, b: -1, c: 1, d: 0, tx: 0, ty: w))
        default: break
        }
        let sideways = orientation.quarterTurns % 2 == 1
        uprightWidth = sideways ? h : w
        uprightHeight = sideways ? w : h
        uprightToStored = toUpright.inverse
    }

    /// The upright picture's width over its height.
    package var aspectRatio: Double { uprightWidth / uprightHeight }
}
