internal import CRaster

/// Which pixels a placed shape's square (or the disc in it) covers, row by row.
struct TileOutline: Sendable {
    /// From stored pixels to the shape's square.
    let toLocal: AffineTransform
    let rows: Range<Int>
    /// So soft that every fourth pixel tells the rest.
    let isCoarse: Bool
    private let width: Double
    private let round: Bool
    /// 1 / a and 1 / b of `toLocal`; 0 where these are as good as 0. Rows are many and divisions slow.
    private let inverseA, inverseB: Double

    /// Nil where nothing of the shape is inside the canvas or it has no area.
    ///
    /// - Parameter coarse: whether only every fourth pixel is wanted; then those just beyond
    ///   the shape and the canvas count too, since what lies between depends on them.
    init?(
        _ placement: AffineTransform, round: Bool, within size: (width: Int, height: Int),
        coarse: (AffineTransform) -> Bool = { _ in false }
    ) {
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
        guard placement.tx + reachX > 0, placement.tx - reachX < Double(size.width),
            placement.ty + reachY > 0, placement.ty - reachY < Double(size.height)
        else { return nil }
        let top = max(0, Int((max(placement.ty - reachY, 0) - 0.5).rounded(.up)))
        let bottom = Int((min(placement.ty + reachY, Double(size.height)) - 0.5).rounded(.up))
        guard top < bottom else { return nil }
        toLocal = placement.inverse
        isCoarse = coarse(toLocal)
        let margin = isCoarse ? TileGrid.coarseStep : 0
        rows = max(0, top - margin)..<min(bottom + margin, size.height)
        width = Double(size.width + margin)
        self.round = round
        inverseA = toLocal.a.magnitude < 1e-12 ? 0 : 1 / toLocal.a
        inverseB = toLocal.b.magnitude < 1e-12 ? 0 : 1 / toLocal.b
    }

    /// The pixels of row `y` whose centres lie inside.
    func columns(inRow y: Int) -> Range<Int> {
        let yc = Double(y) + 0.5
        let u = toLocal.c * yc + toLocal.tx
        let v = toLocal.d * yc + toLocal.ty
        var low = 0.0
        var high = width
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
            Self.clip(&low, &high, u, inverseA)
            Self.clip(&low, &high, v, inverseB)
        }
        if !(low < high) { return 0..<0 }
        let first = Self.ceiling(low - 0.5)
        let end = Self.ceiling(high - 0.5)
        return first < end ? first..<end : 0..<0
    }

    /// The same for some rows at once, which takes little more than for one: sparks are many and small.
    /// - Precondition: the rows are no more than a band's.
    func columns(inRows rows: Range<Int>) -> TileColumns {
        var columns = TileColumns(top: rows.lowerBound)
        let outline = CRasterOutline(
            a: toLocal.a, b: toLocal.b, c: toLocal.c, d: toLocal.d, tx: toLocal.tx, ty: toLocal.ty,
            inverse_a: inverseA, inverse_b: inverseB, width: width)
        unsafe columns.fill(rows.count) { first, end, fours in
            if round {
                unsafe craster_round_rows(first, end, fours, outline, Int32(rows.lowerBound))
            } else {
                unsafe craster_square_rows(first, end, fours, outline, Int32(rows.lowerBound))
            }
        }
        return columns
    }

    /// ⌈x⌉ for −1 < x, without a call into the C library.
    @inline(__always)
    private static func ceiling(_ x: Double) -> Int {
        let i = Int(x)
        return Double(i) < x ? i + 1 : i
    }

    /// Narrows low…high to where |start + slope·x| ≤ 1.
    private static func clip(_ low: inout Double, _ high: inout Double, _ start: Double, _ inverse: Double) {
        if inverse == 0 {
            if start.magnitude > 1 { high = low }
            return
        }
        let p = (-1 - start) * inverse
        let q = (1 - start) * inverse
        low = max(low, min(p, q))
        high = min(high, max(p, q))
    }

    /// The shape's coordinates along a row from pixel `x` on.
    func coverage(at x: Int, _ y: Int) -> TileCoverage {
        let p = toLocal.apply(x: Double(x) + 0.5, y: Double(y) + 0.5)
        return TileCoverage(u: Float(p.x), v: Float(p.y), du: Float(toLocal.a), dv: Float(toLocal.b))
    }
}
