/// Which pixels a placed shape's square (or the disc in it) covers, row by row.
struct TileOutline {
    /// From stored pixels to the shape's square.
    let toLocal: AffineTransform
    let rows: Range<Int>
    private let width: Int
    private let round: Bool

    /// Nil where nothing of the shape is inside the canvas or it has no area.
    init?(_ placement: AffineTransform, round: Bool, within canvas: borrowing TileCanvas) {
        let determinant = placement.determinant
        guard determinant.magnitude > 1e-6, determinant.isFinite else { return nil }
        let reachX: Double
        let reachY: Double
        if round {
            reachX = (placement.a * placement.a + placement.c * placement.c).squareRoot()
            reachY = (placement.b * placement.b + placement.d * placement.d).squareRoot()
        } else {
            reachX = placement.a.magnitude + placement.c.magnitude
            reachY = placement.b.magnitude + placement.d.magnitude
        }
        guard placement.tx + reachX > 0, placement.tx - reachX < Double(canvas.width),
            placement.ty + reachY > 0, placement.ty - reachY < Double(canvas.height)
        else { return nil }
        let top = max(0, Int((max(placement.ty - reachY, 0) - 0.5).rounded(.up)))
        let bottom = Int((min(placement.ty + reachY, Double(canvas.height)) - 0.5).rounded(.up))
        guard top < bottom else { return nil }
        toLocal = placement.inverse
        rows = top..<bottom
        width = canvas.width
        self.round = round
    }

    /// The pixels of row `y` whose centres lie inside.
    func columns(inRow y: Int) -> Range<Int> {
        let yc = Double(y) + 0.5
        let u = toLocal.c * yc + toLocal.tx
        let v = toLocal.d * yc + toLocal.ty
        var low = 0.0
        var high = Double(width)
        if round {
            // (u + a·x)² + (v + b·x)² ≤ 1
            let qa = toLocal.a * toLocal.a + toLocal.b * toLocal.b
            let qb = toLocal.a * u + toLocal.b * v
            let discriminant = qb * qb - qa * (u * u + v * v - 1)
            if discriminant <= 0 { return 0..<0 }
            let root = discriminant.squareRoot()
            low = max(low, (-qb - root) / qa)
            high = min(high, (-qb + root) / qa)
        } else {
            Self.clip(&low, &high, u, toLocal.a)
            Self.clip(&low, &high, v, toLocal.b)
        }
        if !(low < high) { return 0..<0 }
        let first = Int((low - 0.5).rounded(.up))
        let end = Int((high - 0.5).rounded(.up))
        return first < end ? max(first, 0)..<min(end, width) : 0..<0
    }

    /// Narrows low…high to where |start + slope·x| ≤ 1.
    private static func clip(_ low: inout Double, _ high: inout Double, _ start: Double, _ slope: Double) {
        if slope.magnitude < 1e-12 {
            if start.magnitude > 1 { high = low }
            return
        }
        let p = (-1 - start) / slope
        let q = (1 - start) / slope
        low = max(low, min(p, q))
        high = min(high, max(p, q))
    }

    /// The shape's coordinates along a row from pixel `x` on.
    func coverage(at x: Int, _ y: Int) -> TileCoverage {
        let p = toLocal.apply(x: Double(x) + 0.5, y: Double(y) + 0.5)
        return TileCoverage(u: Float(p.x), v: Float(p.y), du: Float(toLocal.a), dv: Float(toLocal.b))
    }
}
