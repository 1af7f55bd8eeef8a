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
