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

    /// The orientation that undoes this one.
    package var inverse: Orientation { mirrored ? self : Orientation(quarterTurns: -quarterTurns) }

    /// Returns the composition of two orientations: this one first, then `next`.
    package func then(_ next: Orientation) -> Orientation {
        // Mirroring after a turn is mirroring before the opposite turn.
        Orientation(
            quarterTurns: next.quarterTurns + (next.mirrored ? -quarterTurns : quarterTurns),
            mirrored: mirrored != next.mirrored)
    }
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

/// A two-dimensional affine map: (x, y) ↦ (a·x + c·y + tx, b·x + d·y + ty).
///
/// In pictures, y points down. Pixel coordinates are continuous: the centre of the first pixel is (0.5, 0.5).
package struct AffineTransform: Sendable, Hashable {
    package var a, b, c, d, tx, ty: Double

    package init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.tx = tx
        self.ty = ty
    }

    package static let identity = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

    package static func translation(x: Double, y: Double) -> AffineTransform {
        AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y)
    }

    package static func scale(x: Double, y: Double) -> AffineTransform {
        AffineTransform(a: x, b: 0, c: 0, d: y, tx: 0, ty: 0)
    }

    /// Returns a rotation about the origin that moves the x axis toward the y axis, which is clockwise on screen. The
    /// caller passes the sine and cosine, and so determines their precision.
    package static func rotation(cosine: Double, sine: Double) -> AffineTransform {
        AffineTransform(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
    }

    /// Returns the composition of two maps: this map first, then `next`.
    package func then(_ next: AffineTransform) -> AffineTransform {
        AffineTransform(
            a: next.a * a + next.c * b, b: next.b * a + next.d * b,
            c: next.a * c + next.c * d, d: next.b * c + next.d * d,
            tx: next.a * tx + next.c * ty + next.tx, ty: next.b * tx + next.d * ty + next.ty)
    }

    package func apply(x: Double, y: Double) -> (x: Double, y: Double) {
        (a * x + c * y + tx, b * x + d * y + ty)
    }

    package var determinant: Double { a * d - b * c }

    /// The inverse map.
    /// - Precondition: `determinant` is not zero.
    package var inverse: AffineTransform {
        let s = 1 / determinant
        return AffineTransform(
            a: d * s, b: -b * s, c: -c * s, d: a * s,
            tx: (c * ty - d * tx) * s, ty: (b * tx - a * ty) * s)
    }
}
