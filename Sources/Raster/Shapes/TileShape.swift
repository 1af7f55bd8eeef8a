/// The soft shapes that ``TileCanvas`` can draw, each within the square
/// −1…1 × −1…1 of its own coordinates (u to the right, v down).
///
/// All edges are soft; sharp ones fall over one pixel. `slope` is how many
/// pixels lie between the middle and the edge, so that 1 / slope is the width
/// of a one-pixel edge in the shape's coordinates.
package enum TileShape: Sendable, Hashable {
    /// A round light: a bright core in a halo that takes `halo` (0…1) of the brightness.
    case glow(halo: Float)
    /// A filled ellipse with an edge over one pixel.
    case disc(slope: Float)
    /// A ring of the given radius (0…1); `slope` is the inverse of its half width.
    case ring(radius: Float, slope: Float)
    /// A filled rectangle with edges over one pixel (or more: smaller slopes blur).
    case paper(slopeU: Float, slopeV: Float)
    /// A streak along u, soft across v. `tail` 0 is even along its length; 1 fades
    /// from the head (u = 1) to the tail. `slope` rounds the ends.
    case streak(tail: Float, slope: Float)
    /// A beam of light from u = −1 to u = 1 that widens from `spread` (0…1 of its full
    /// width) and fades; smoke with the given phase drifts through it.
    case beam(spread: Float, phase: Float)
    /// A filled rectangle with rounded corners; with a radius of half its height a line with
    /// round ends. All in pixels: `halfWidth` and `halfHeight` are the square's, within which
    /// the shape stays half a pixel, so that its edge is centred where it should be.
    case box(halfWidth: Float, halfHeight: Float, radius: Float)
    /// A part of a circular line with round ends, symmetric about u. In pixels: the circle's
    /// `radius` and half the line's width; the square reaches half a pixel farther than the
    /// line. The part goes from −a to a, given by a's sine and cosine, a ≤ 180°.
    case arc(radius: Float, halfWidth: Float, sine: Float, cosine: Float)
    /// A four-pointed star of light.
    case sparkle
}

extension TileShape {
    /// Whether the shape fills no more than the disc in its square.
    var isRound: Bool {
        switch self {
        case .glow, .disc, .ring, .arc: true
        case .paper, .streak, .beam, .box, .sparkle: false
        }
    }

    /// Whether it changes so little from pixel to pixel that every fourth tells the rest.
    func isSoft(_ toLocal: AffineTransform) -> Bool {
        let pace = max(toLocal.a.magnitude, toLocal.b.magnitude, toLocal.c.magnitude, toLocal.d.magnitude)
        return switch self {
        case .glow: pace < 1.0 / 40
        case .beam(let spread, _): pace < Double(spread) / 12
        case .disc, .ring, .paper, .streak, .box, .arc, .sparkle: false
        }
    }
}
