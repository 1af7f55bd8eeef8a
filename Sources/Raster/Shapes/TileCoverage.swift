internal import CRaster

/// How much of a shape lies at the pixels of a row, 0…65535.
///
/// Along a row the shape's coordinates are linear, u = `u` + i·`du`, so each function is a plain counted loop
/// without branches: CRaster's.
struct TileCoverage {
    var u, v, du, dv: Float

    /// The same shape at every so many pixels.
    func every(_ step: Int) -> TileCoverage {
        TileCoverage(u: u, v: v, du: du * Float(step), dv: dv * Float(step))
    }

    /// Fills `count` samples of a row, `at` so far along a plane; those that are left of whole pairs of groups become
    /// 0.
    func fill(_ plane: borrowing TilePlane, at first: Int, with shape: TileShape, count n: Int) {
        // Means of pairs are taken in whole groups, too.
        fill(
            plane, at: first, with: shape, count: n,
            groups: (n &+ (2 &* TileRows.group &- 1)) / (2 &* TileRows.group) &* 2)
    }

    /// Fills `count` samples of a row; those that are left of so many groups become 0.
    func fill(_ plane: borrowing TilePlane, at first: Int, with shape: TileShape, count n: Int, groups: Int) {
        let walk = CRasterWalk(u: u, v: v, du: du, dv: dv)
        let row = unsafe plane.samples(from: first, groups &* TileRows.group)
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
