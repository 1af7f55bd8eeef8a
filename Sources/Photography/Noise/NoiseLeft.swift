import Raster

/// How much noise fusion left, tile by tile, and how much there was.
struct NoiseLeft: Sendable {
    /// Tiles across and down, each half over the next; the first lies half beyond the picture.
    let columns, rows: Int
    let luma, cb, cr: NoiseModel
    /// The share of the reference's variance that is left, row after row.
    private var shares: [Float]

    init(columns: Int, rows: Int, luma: NoiseModel, cb: NoiseModel, cr: NoiseModel) {
        (self.columns, self.rows) = (columns, rows)
        (self.luma, self.cb, self.cr) = (luma, cb, cr)
        shares = [Float](repeating: 1, count: columns * rows)
    }

    func model(of plane: Plane) -> NoiseModel {
        switch plane {
        case .luma: luma
        case .cb: cb
        case .cr: cr
        }
    }

    mutating func set(_ column: Int, _ row: Int, _ share: Float) { shares[row * columns + column] = share }

    /// The share at a place of the luma plane, which four tiles lie over: that of the noisiest.
    func share(atX x: Int, y: Int) -> Float {
        let (column, row) = (min(max(x >> 3, 0), columns - 2), min(max(y >> 3, 0), rows - 2))
        let at = row * columns + column
        return max(max(shares[at], shares[at + 1]), max(shares[at + columns], shares[at + columns + 1]))
    }

    var mean: Float { shares.isEmpty ? 1 : shares.reduce(0, +) / Float(shares.count) }

    /// How much of the picture has more than a share left.
    func share(above limit: Float) -> Float {
        shares.isEmpty ? 0 : Float(shares.count { $0 > limit }) / Float(shares.count)
    }
}
