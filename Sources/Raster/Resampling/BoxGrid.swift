/// The boxes of a picture's planes.
struct BoxGrids {
    let luma: BoxGrid, chroma: BoxGrid

    /// Whether rows of the tensor run along rows of boxes.
    var areStraight: Bool { luma.isStraight && chroma.isStraight }
}

/// The boxes of a plane's samples that are averaged before interpolation.
///
/// Boxes start at whole multiples of their size from the plane's corner, so that
/// the same place in a picture is averaged the same way whatever part is wanted.
struct BoxGrid {
    /// The size of a box in samples.
    let boxWidth: Int, boxHeight: Int
    /// The boxes in use, counted from the plane's corner.
    let columns: Range<Int>, rows: Range<Int>
    /// The size of the plane in samples.
    let planeWidth: Int, planeHeight: Int
    /// From tensor pixels to boxes, counted from the plane's corner.
    let fromTensor: AffineTransform

    var isStraight: Bool { fromTensor.b == 0 && fromTensor.c == 0 }

    /// `nil` when the tensor lies wholly beside the picture.
    init?(
        _ format: PictureFormat, _ plane: Plane, toPlane t: AffineTransform, width: Int, height: Int
    ) {
        planeWidth = format.width(of: plane)
        planeHeight = format.height(of: plane)
        boxWidth = Self.boxSize((t.a * t.a + t.c * t.c).squareRoot(), limit: planeWidth)
        boxHeight = Self.boxSize((t.b * t.b + t.d * t.d).squareRoot(), limit: planeHeight)
        fromTensor = t.then(.scale(x: 1 / Double(boxWidth), y: 1 / Double(boxHeight)))
        let across = Self.extent(fromTensor.tx, fromTensor.a * Double(width), fromTensor.c * Double(height))
        let down = Self.extent(fromTensor.ty, fromTensor.b * Double(width), fromTensor.d * Double(height))
        guard
            let columns = Self.boxes(over: across, count: (planeWidth - 1) / boxWidth + 1),
            let rows = Self.boxes(over: down, count: (planeHeight - 1) / boxHeight + 1)
        else { return nil }
        self.columns = columns
        self.rows = rows
    }

    /// The whole samples in `scale`, the samples that one tensor pixel spans.
    private static func boxSize(_ scale: Double, limit: Int) -> Int {
        Int(max(1, min(scale.rounded(.down), Double(limit))))
    }

    /// What a parallelogram covers along one axis, from a corner and its two edges.
    private static func extent(
        _ corner: Double, _ edge: Double, _ other: Double
    ) -> (lower: Double, upper: Double) {
        (corner + min(0, edge) + min(0, other), corner + max(0, edge) + max(0, other))
    }

    /// The boxes of `count` that are needed, with one more on each side for the bilinear kernel.
    private static func boxes(
        over extent: (lower: Double, upper: Double), count: Int
    ) -> Range<Int>? {
        let lower = Int(max(-1, min(Double(count), extent.lower.rounded(.down) - 1)))
        let upper = Int(max(-1, min(Double(count), extent.upper.rounded(.up) + 1)))
        guard lower < count, upper >= 0 else { return nil }
        return max(lower, 0)..<min(upper + 1, count)
    }
}
