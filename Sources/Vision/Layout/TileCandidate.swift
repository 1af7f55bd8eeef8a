import Raster

extension PictureRegion {
    /// Returns whether another rectangle is within this one, with a tolerance of some pixels.
    func contains(_ other: PictureRegion, tolerance: Int) -> Bool {
        columns.lowerBound - tolerance <= other.left
            && other.right <= columns.upperBound + tolerance
            && rows.lowerBound - tolerance <= other.top
            && other.bottom <= rows.upperBound + tolerance
    }
}

/// A part of the picture between gutters, which may be a tile, with the strength of each of its sides.
struct TileCandidate: Sendable, Hashable {
    var rect: PictureRegion
    /// The strengths of the sides: the shares of the samples just inside of a side that do not have the gutter's
    /// colour, 0…1; `nil` for sides on the picture's edge.
    var left: Float?, right: Float?, top: Float?, bottom: Float?

    /// The strengths of the sides that are not on the picture's edge.
    var sides: [Float] { [left, right, top, bottom].compactMap { $0 } }

    /// The minimum strength of a sharp side.
    static let sharpness: Float = 0.6

    /// True if the part is a rectangle. People before a wall and lines of text have irregular outlines instead.
    var isRectangle: Bool {
        let sides = sides.sorted()
        guard sides.count >= 2 else { return sides.count == 1 && sides[0] >= 0.8 }
        return sides[0] >= 0.15 && sides[1] >= 0.45 && sides.reduce(0, +) / Float(sides.count) >= 0.6
    }
}

extension TileCandidate {
    /// The distance from a side, in pixels, at which its strength is measured.
    private static let inset = 2

    /// Measures the sides of a rectangle in a picture of the given size.
    init(_ rect: PictureRegion, _ mask: ColourMask, width: Int, height: Int) {
        self.rect = rect
        // Corners may be round, so only the middle of each side is measured.
        let middle = PictureRegion(
            columns: Self.middle(rect.columns), rows: Self.middle(rect.rows))
        func column(_ x: Int) -> Float {
            let shares = [x, x + 1].map {
                mask.columnShares(in: PictureRegion(columns: $0..<$0 + 1, rows: middle.rows)).first ?? 1
            }
            return 1 - shares.min()!
        }
        func row(_ y: Int) -> Float {
            let shares = [y, y + 1].map {
                mask.rowShares(in: PictureRegion(columns: middle.columns, rows: $0..<$0 + 1)).first ?? 1
            }
            return 1 - shares.min()!
        }
        let (columns, rows) = (rect.columns, rect.rows)
        left = columns.lowerBound == 0 ? nil : column(columns.lowerBound + Self.inset)
        right = columns.upperBound == width ? nil : column(columns.upperBound - 2 - Self.inset)
        top = rows.lowerBound == 0 ? nil : row(rows.lowerBound + Self.inset)
        bottom = rows.upperBound == height ? nil : row(rows.upperBound - 2 - Self.inset)
    }

    private static func middle(_ range: Range<Int>) -> Range<Int> {
        let margin = range.count / 8
        return range.lowerBound + margin..<range.upperBound - margin
    }
}
