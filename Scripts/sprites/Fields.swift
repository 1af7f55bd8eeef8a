import Foundation

// Distance fields: the distance of a point from a shape's surface, negative inside.

typealias V = SIMD3<Float>

func dot(_ a: V, _ b: V) -> Float { (a * b).sum() }
func length(_ a: V) -> Float { dot(a, a).squareRoot() }
func normalize(_ a: V) -> V { a / length(a) }
func clamp(_ x: Float, _ a: Float = 0, _ b: Float = 1) -> Float { min(max(x, a), b) }
func mix(_ a: V, _ b: V, _ t: Float) -> V { a + (b - a) * t }
func smooth(_ x: Float) -> Float { let t = clamp(x); return t * t * (3 - 2 * t) }

/// A capsule with another radius at each end.
func bone(_ p: V, _ a: V, _ b: V, _ r1: Float, _ r2: Float) -> Float {
    let pa = p - a, ba = b - a
    let h = clamp(dot(pa, ba) / dot(ba, ba))
    return length(pa - ba * h) - (r1 + (r2 - r1) * h)
}

func box(_ p: V, _ c: V, _ half: V, _ r: Float) -> Float {
    let q = V(abs(p.x - c.x), abs(p.y - c.y), abs(p.z - c.z)) - half + V(repeating: r)
    let o = V(max(q.x, 0), max(q.y, 0), max(q.z, 0))
    return length(o) + min(max(q.x, max(q.y, q.z)), 0) - r
}

/// A rounded disc with its axis from a to b.
func cylinder(_ p: V, _ a: V, _ b: V, _ r: Float, _ round: Float) -> Float {
    let axis = normalize(b - a), m = (a + b) / 2, half = length(b - a) / 2
    let along = dot(p - m, axis)
    let across = length(p - m - axis * along)
    let dx = across - r + round, dy = abs(along) - half + round
    let o = SIMD2<Float>(max(dx, 0), max(dy, 0))
    return min(max(dx, dy), 0) + (o * o).sum().squareRoot() - round
}

/// Union with a soft seam of width k.
func join(_ a: Float, _ b: Float, _ k: Float) -> Float {
    let h = max(k - abs(a - b), 0) / k
    return min(a, b) - h * h * k / 4
}
