internal import CRaster

/// The soft shapes that ``BandCanvas`` can draw, each within the square −1…1 × −1…1 of its local coordinates (u to the
/// right, v down).
///
/// All edges are soft; sharp ones span one pixel. `slope` is the number of pixels between the middle and the edge, so
/// that 1 / slope is the width of a one-pixel edge in the shape's coordinates.
package enum BandShape: Sendable, Hashable {
    /// A round light: a bright core in a halo that has a share `halo` (0…1) of the brightness.
    case glow(halo: Float)
    /// A filled ellipse with an edge over one pixel.
    case disc(slope: Float)
    /// A ring of the given radius (0…1); `slope` is the inverse of its half width.
    case ring(radius: Float, slope: Float)
    /// A filled rectangle with edges over one pixel; smaller slopes give blurred edges.
    case paper(slopeU: Float, slopeV: Float)
    /// A streak along u, soft across v. `tail` 0 is even along its length; 1 fades
    /// from the head (u = 1) to the tail. `slope` rounds the ends.
    case streak(tail: Float, slope: Float)
    /// A beam of light from u = −1 to u = 1 that widens from `spread` (0…1 of its full
    /// width) and fades; smoke with the given phase drifts through it.
    case beam(spread: Float, phase: Float)
    /// A filled rectangle with rounded corners. With a radius of half its height, it is a line with round ends. All
    /// values are in pixels. `halfWidth` and `halfHeight` are half the sides of the square. The shape stays half a
    /// pixel within the square, so that its edge is centred at the requested position.
    case box(halfWidth: Float, halfHeight: Float, radius: Float)
    /// A part of a circular line with round ends, symmetric about u. In pixels: the circle's `radius` and half of the
    /// line's width. The square extends half a pixel beyond the line. The part extends from the angle −a to a (at most
    /// 180°); `sine` and `cosine` are those of a.
    case arc(radius: Float, halfWidth: Float, sine: Float, cosine: Float)
    /// A four-pointed star of light.
    case sparkle
}

extension BandShape {
    /// True if the shape is within the largest disc in its square.
    var isRound: Bool {
        switch self {
        case .glow, .disc, .ring, .arc: true
        case .paper, .streak, .beam, .box, .sparkle: false
        }
    }

    /// Returns whether the shape changes so little from pixel to pixel that drawing every fourth pixel is sufficient.
    func isSoft(_ toLocal: AffineTransform) -> Bool {
        let pace = max(toLocal.a.magnitude, toLocal.b.magnitude, toLocal.c.magnitude, toLocal.d.magnitude)
        return switch self {
        case .glow: pace < 1.0 / 40
        case .beam(let spread, _): pace < Double(spread) / 12
        case .disc, .ring, .paper, .streak, .box, .arc, .sparkle: false
        }
    }
}

/// The pixels that a placed shape's square (or the disc in it) covers, row by row.
struct BandOutline: Sendable {
    /// The transform from stored pixels to the shape's square.
    let toLocal: AffineTransform
    let rows: Range<Int>
    /// True if the shape is so soft that every fourth pixel is sufficient.
    let isCoarse: Bool
    private let width: Double
    private let round: Bool
    /// 1 / a and 1 / b of `toLocal`, or 0 if a or b is practically 0. The inverses are stored because
    /// ``columns(inRows:)`` would otherwise divide for each band.
    private let inverseA, inverseB: Double

    /// Creates an outline; nil if no part of the shape is inside the canvas, or if it has no area.
    ///
    /// - Parameter coarse: Whether only every fourth pixel is drawn. In that case, the outline includes pixels just
    ///   beyond the shape and the canvas, because pixels are interpolated from them.
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
        let margin = isCoarse ? BandGrid.coarseStep : 0
        rows = max(0, top - margin)..<min(bottom + margin, size.height)
        width = Double(size.width + margin)
        self.round = round
        inverseA = toLocal.a.magnitude < 1e-12 ? 0 : 1 / toLocal.a
        inverseB = toLocal.b.magnitude < 1e-12 ? 0 : 1 / toLocal.b
    }

    /// Returns the pixels of row `y` whose centres are inside.
    func columns(inRow y: Int) -> Range<Int> { columns(inRows: y..<y + 1)[y] }

    /// Returns the pixels of several rows whose centres are inside, at little more than the cost of one row. The lower
    /// cost matters for sparks, which are numerous and small.
    /// - Precondition: The number of rows is at most that of a band.
    func columns(inRows rows: Range<Int>) -> BandColumns {
        var columns = BandColumns(top: rows.lowerBound)
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

    /// Returns the shape's coordinates along a row from pixel `x` on.
    func coverage(at x: Int, _ y: Int) -> BandCoverage {
        let p = toLocal.apply(x: Double(x) + 0.5, y: Double(y) + 0.5)
        return BandCoverage(u: Float(p.x), v: Float(p.y), du: Float(toLocal.a), dv: Float(toLocal.b))
    }
}

/// The pixels that a shape covers in each of several rows.
struct BandColumns {
    private let top: Int
    private var firsts = InlineArray<16, Int32>(repeating: 0)
    private var ends = InlineArray<16, Int32>(repeating: 0)

    /// - Parameter top: The first row.
    init(top: Int) {
        self.top = top
    }

    /// Calls `body` to fill in the first column of each row, and the column after its last.
    /// - Parameter count: The number of rows; `body` receives the number of groups of four rows to fill.
    @inline(__always)
    mutating func fill(
        _ count: Int, _ body: (_ first: UnsafeMutablePointer<Int32>, _ end: UnsafeMutablePointer<Int32>, Int) -> Void
    ) {
        precondition(count <= firsts.count)
        var firstSpan = firsts.mutableSpan, endSpan = ends.mutableSpan
        unsafe firstSpan.withUnsafeMutableBufferPointer { first in
            unsafe endSpan.withUnsafeMutableBufferPointer { end in
                guard let first = first.baseAddress, let end = end.baseAddress else { return }
                unsafe body(first, end, (count + 3) / 4)
            }
        }
    }

    /// The pixels of row `y`.
    @inline(__always)
    subscript(y: Int) -> Range<Int> { Int(firsts[y - top])..<Int(ends[y - top]) }

    /// The pixels of row `y` and of the row below it, from the first to the last.
    @inline(__always)
    func union(of y: Int) -> Range<Int> {
        let (a, b) = (self[y], self[y + 1])
        if a.isEmpty { return b }
        if b.isEmpty { return a }
        return min(a.lowerBound, b.lowerBound)..<max(a.upperBound, b.upperBound)
    }
}

/// The coverage of a shape at the pixels of a row, 0…65535.
///
/// Along a row the shape's coordinates are linear, u = `u` + i·`du`, so each function is a plain counted loop without
/// branches, in CRaster.
struct BandCoverage {
    var u, v, du, dv: Float

    /// Returns the same shape at every `step`-th pixel.
    func every(_ step: Int) -> BandCoverage {
        BandCoverage(u: u, v: v, du: du * Float(step), dv: dv * Float(step))
    }

    /// Fills in `count` samples of a row, from offset `at` of a plane. The samples after them, up to a whole pair of
    /// groups, become 0.
    func fill(_ plane: borrowing BandPlane, at first: Int, with shape: BandShape, count n: Int) {
        // Averages of pairs of samples are computed in whole groups, too, and read twice as many samples.
        fill(
            plane, at: first, with: shape, count: n,
            groups: (n &+ (2 &* BandRows.group &- 1)) / (2 &* BandRows.group) &* 2)
    }

    /// Fills in `count` samples of a row. The remaining samples of `groups` groups become 0.
    func fill(_ plane: borrowing BandPlane, at first: Int, with shape: BandShape, count n: Int, groups: Int) {
        let walk = CRasterWalk(u: u, v: v, du: du, dv: dv)
        let row = unsafe plane.samples(from: first, groups &* BandRows.group)
        switch shape {
        case .glow(let halo): unsafe craster_glow(row, n, groups, walk, halo)
        case .disc(let slope): unsafe craster_disc(row, n, groups, walk, slope)
        case .ring(let radius, let slope): unsafe craster_ring(row, n, groups, walk, radius, slope)
        case .paper(let slopeU, let slopeV): unsafe craster_paper(row, n, groups, walk, slopeU, slopeV)
        case .streak(let tail, let slope): unsafe craster_streak(row, n, groups, walk, tail, slope)
        case .box(let halfWidth, let halfHeight, let radius):
            unsafe craster_box(row, n, groups, walk, halfWidth, halfHeight, radius)
        case .arc(let radius, let halfWidth, let sine, let cosine):
            unsafe craster_arc(row, n, groups, walk, radius, halfWidth, sine, cosine)
        case .beam(let spread, let phase): unsafe craster_beam(row, n, groups, walk, spread, phase)
        case .sparkle: unsafe craster_sparkle(row, n, groups, walk)
        }
    }
}

/// A drawing command.
struct BandCommand: Sendable {
    enum Paint: Sendable {
        case shape(BandShape, BandColour)
        /// Indirect, so that commands for shapes, which are far more frequent, need less memory.
        indirect case sprite(BandSpritePaint)
    }
    let outline: BandOutline
    let paint: Paint

    /// True if the command draws light. Light brightens the picture and hides nothing, so the order of light does not
    /// matter.
    var isLight: Bool {
        switch paint {
        case .shape(_, let colour): colour.alpha == 0
        case .sprite: false
        }
    }
}

/// The mip level of a sprite to draw, the transform from stored pixels to its texels, and its opacity.
struct BandSpritePaint: Sendable {
    let level: BandSprite.Level
    let toTexels: AffineTransform
    let alphaScale, colourScale: UInt16
    /// The sampling step, 1 or 2 pixels. Pixels in between are interpolated.
    let every: Int
}
