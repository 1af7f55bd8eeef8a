import Foundation

/// A glossy object of one colour: grey is the lightness of its tint, with reflections of studio
/// lamps.
protocol GlossyModel: Model {
    /// The additional lightness of the side away from the light, which shines through.
    var glow: Float { get }
    /// The opacity in the middle.
    var body: Float { get }
}

extension GlossyModel {
    func place(_ p: V) -> V { p }

    func shade(_ p: V) -> Shade {
        let n = normal(p)
        let view = V(0, 0, 1)
        let key = normalize(V(-0.55, 0.72, 0.55))
        let facing = clamp(dot(n, view))
        let wrap = clamp((dot(n, key) + 0.55) / 1.55)
        // Encoded greys: a half is the colour itself.
        var grey = 0.13 + 0.41 * wrap
        // Transmitted light exits on the far side, and is reflected from below.
        let through = clamp(dot(n, normalize(V(0.5, -0.75, 0.42))))
        grey += glow * pow(through, 1.6) * 0.26
        let edge = 1 - facing
        grey *= 1 - 0.36 * pow(edge, 2)
        let mirrored = n * (2 * facing) - view
        let gloss = 0.10 + 0.9 * pow(edge, 3)
        // A large window above on the left with a cross bar, a long lamp on the right, the floor.
        let window = lamp(mirrored, normalize(V(-0.62, 0.66, 0.55)), 0.32, 0.38, 0.17)
        let strip = lamp(mirrored, normalize(V(0.95, 0.1, -0.1)), 0.16, 0.75, 0.16)
        let floor = smooth((-mirrored.y - 0.35) / 0.6)
        let shine = 0.84 * window + gloss * (0.9 * strip + 0.35 * floor) + 0.35 * pow(edge, 4)
        // A halo about the window: the skin is not perfectly smooth.
        let soft = pow(clamp(dot(mirrored, normalize(V(-0.62, 0.66, 0.55)))), 5) * 0.16
        grey = grey + (1 - grey) * clamp(shine + soft)
        let value = pow(clamp(grey), 2.2)
        return Shade(colour: V(repeating: value), opacity: body + (1 - body) * clamp(pow(edge, 1.5) + window))
    }

    /// A lamp of the given half size about a direction, with soft edges.
    private func lamp(_ ray: V, _ direction: V, _ width: Float, _ height: Float, _ edge: Float) -> Float {
        let right = normalize(V(direction.z, 0, -direction.x))
        let up = V(
            direction.y * right.z, direction.z * right.x - direction.x * right.z, -direction.y * right.x)
        let (x, y, z) = (dot(ray, right), dot(ray, up), dot(ray, direction))
        if z <= 0 { return 0 }
        return smooth((width - abs(x)) / edge + 0.5) * smooth((height - abs(y)) / edge + 0.5)
    }
}

/// A balloon with its neck and knot.
struct Balloon: GlossyModel {
    let span: Float = 2.3
    let centre = V(0, -0.12, 0)
    let glow: Float = 1
    let body: Float = 0.95

    func distance(_ p: V) -> Float {
        // Rounder above, drawn out below.
        let r = (p.x * p.x + p.z * p.z).squareRoot()
        let y = p.y - 0.08
        let squeeze: Float = y < 0 ? 0.86 : 1.06
        let q = V(r / 0.84, y * squeeze / 0.92, 0)
        let ball = (length(q) - 1) * 0.80
        let neck = bone(V(r, p.y, 0), V(0, -0.72, 0), V(0, -1.06, 0), 0.20, 0.045)
        let knot = bone(V(r, p.y, 0), V(0, -1.06, 0), V(0, -1.15, 0), 0.035, 0.095)
        let lip = p.y < -1.17 ? -1.17 - p.y : -9
        return max(join(join(ball, neck, 0.22), knot, 0.03), lip) * 0.9
    }
}

/// A puffed heart: Taubin's algebraic surface ("Distance approximations for rasterizing
/// implicit curves", 1994), with its field turned into distances by the gradient.
struct Heart: GlossyModel {
    let span: Float = 2.42
    let centre = V(0, 0.11, 0)
    let glow: Float = 0.9
    let body: Float = 0.66

    private func field(_ p: V) -> Float {
        let (x2, y2, z) = (p.x * p.x, p.z * p.z * 1.2, p.y)
        // The cube root of its two sides, which keeps the slope where both are 0.
        return x2 + 2.25 * y2 + z * z - 1 - z * cbrt(x2 + 0.1125 * y2 + 0.006)
    }

    func distance(_ p: V) -> Float {
        let outside = length(p * V(1, 1, 1.2)) - 1.42
        if outside > 0.1 { return outside }
        let e: Float = 0.004
        let f = field(p)
        let gradient = V(
            field(p + V(e, 0, 0)) - f, field(p + V(0, e, 0)) - f, field(p + V(0, 0, e)) - f) / e
        let d = f / max(length(gradient), 0.3)
        return min(max(d, -0.2), 0.2) * 0.55
    }
}
