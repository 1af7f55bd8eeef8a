/// A rectangle with sides along the axes, in any unit.
package struct Rectangle: Sendable, Hashable {
    package var left, top, right, bottom: Double

    package init(left: Double, top: Double, right: Double, bottom: Double) {
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
    }

    package var width: Double { right - left }
    package var height: Double { bottom - top }
    package var area: Double { width * height }

    /// Returns the area of the intersection; 0 if there is none.
    package func overlap(_ other: Rectangle) -> Double {
        let w = min(right, other.right) - max(left, other.left)
        let h = min(bottom, other.bottom) - max(top, other.top)
        return w > 0 && h > 0 ? w * h : 0
    }

    /// Returns the area of the intersection divided by the area of the union, 0…1.
    package func intersectionOverUnion(_ other: Rectangle) -> Double {
        let overlap = overlap(other)
        return overlap > 0 ? overlap / (area + other.area - overlap) : 0
    }
}

/// A rectangle of a picture, in pixels.
package struct PictureRegion: Sendable, Hashable {
    package var columns: Range<Int>
    package var rows: Range<Int>

    package init(columns: Range<Int>, rows: Range<Int>) { (self.columns, self.rows) = (columns, rows) }

    package init(left: Int, top: Int, right: Int, bottom: Int) { (columns, rows) = (left..<right, top..<bottom) }

    package var left: Int { columns.lowerBound }
    package var top: Int { rows.lowerBound }
    package var right: Int { columns.upperBound }
    package var bottom: Int { rows.upperBound }
    package var isEmpty: Bool { columns.isEmpty || rows.isEmpty }
    package var width: Int { columns.count }
    package var height: Int { rows.count }
    package var area: Int { width * height }

    /// Returns the intersection with another region; empty ranges if there is none.
    package func intersection(_ other: PictureRegion) -> PictureRegion {
        PictureRegion(columns: columns.clamped(to: other.columns), rows: rows.clamped(to: other.rows))
    }

    /// Returns the area of the intersection divided by the area of the union, 0…1.
    package func intersectionOverUnion(_ other: PictureRegion) -> Double {
        rectangle.intersectionOverUnion(other.rectangle)
    }

    private var rectangle: Rectangle {
        Rectangle(
            left: Double(columns.lowerBound), top: Double(rows.lowerBound), right: Double(columns.upperBound),
            bottom: Double(rows.upperBound))
    }
}
