import Raster

/// A rectangle of a stored picture, in pixels.
package struct TileRect: Sendable, Hashable {
    package var columns: Range<Int>
    package var rows: Range<Int>

    package init(columns: Range<Int>, rows: Range<Int>) { (self.columns, self.rows) = (columns, rows) }

    package var width: Int { columns.count }
    package var height: Int { rows.count }
    package var area: Int { width * height }

    /// Returns the intersection with another rectangle; empty ranges if there is none.
    package func intersection(_ other: TileRect) -> TileRect {
        TileRect(columns: columns.clamped(to: other.columns), rows: rows.clamped(to: other.rows))
    }

    /// Returns the area of the intersection divided by the area of the union, 0…1.
    package func intersectionOverUnion(_ other: TileRect) -> Double {
        rectangle.intersectionOverUnion(other.rectangle)
    }

    private var rectangle: Rectangle {
        Rectangle(
            left: Double(columns.lowerBound), top: Double(rows.lowerBound), right: Double(columns.upperBound),
            bottom: Double(rows.upperBound))
    }

    /// Returns whether another rectangle is within this one, with a tolerance of some pixels.
    func contains(_ other: TileRect, tolerance: Int) -> Bool {
        columns.lowerBound - tolerance <= other.columns.lowerBound
            && other.columns.upperBound <= columns.upperBound + tolerance
            && rows.lowerBound - tolerance <= other.rows.lowerBound
            && other.rows.upperBound <= rows.upperBound + tolerance
    }
}
