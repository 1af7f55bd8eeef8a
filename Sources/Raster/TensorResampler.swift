/// What lies outside a picture when a tensor reaches beyond its edges.
package enum TensorBorder: Sendable, Hashable {
    /// Black, as for a letterbox.
    case zero
    /// The nearest pixel of the picture.
    case replicate
}

/// Draws part of a picture, turned and scaled, into the input of a neural
/// network: interleaved R′G′B′ floats (NHWC), 0…1.
///
/// Two steps, neither of which makes a copy of the whole picture. First the
/// samples of each plane that the tensor covers are averaged over whole boxes,
/// of as many samples as one tensor pixel spans, so that strong minification does
/// not alias. Then the tensor's pixels are interpolated bilinearly between the
/// boxes and converted to R′G′B′. Chroma samples are taken to lie in the middle of the
/// luma samples that share them.
///
/// Keep one resampler for each use: it reuses its memory.
package struct TensorResampler: ~Copyable {
    /// The boxes of each plane, row after row.
    var luma: [Float] = [], cb: [Float] = [], cr: [Float] = []
    /// Sums over the rows of one row of boxes.
    var sums: [UInt32] = []
    var shortSums: [UInt16] = []
    /// Rows of boxes on their way to the tensor.
    var lumaRows = StretchedRows(), cbRows = StretchedRows(), crRows = StretchedRows()

    package init() {}

    /// Fills `tensor` (`height` × `width` × 3) from the picture.
    /// - Parameter toStored: from tensor pixels to *stored* pixels; compose it
    ///   with ``DisplayGeometry/uprightToStored`` to get an upright tensor. Of a tensor that lies
    ///   wholly beside the picture nothing but black is drawn, whatever the border.
    /// - Precondition: `tensor.count >= width * height * 3`, and `toStored` is finite.
    /// - Complexity: O(stored pixels covered + tensor pixels).
    package mutating func resample(
        _ picture: borrowing Picture, toStored: AffineTransform, border: TensorBorder,
        width: Int, height: Int, into tensor: inout MutableSpan<Float>
    ) {
        precondition(tensor.count >= width * height * 3)
        let format = picture.format
        let toChroma = toStored.then(
            .scale(
                x: 1 / Double(1 << format.chroma.shiftX), y: 1 / Double(1 << format.chroma.shiftY)))
        let grids = (
            BoxGrid(format, .luma, toPlane: toStored, width: width, height: height),
            BoxGrid(format, .cb, toPlane: toChroma, width: width, height: height)
        )
        guard let lumaGrid = grids.0, let chromaGrid = grids.1 else {
            for index in 0..<(width * height * 3) { tensor[index] = 0 }
            return
        }
        Self.reduce(picture, .luma, to: lumaGrid, sums: &sums, &shortSums, into: &luma)
        Self.reduce(picture, .cb, to: chromaGrid, sums: &sums, &shortSums, into: &cb)
        Self.reduce(picture, .cr, to: chromaGrid, sums: &sums, &shortSums, into: &cr)
        interpolate(
            lumaGrid, chromaGrid, RGBConversion(format), border: border, width: width,
            height: height, into: &tensor)
    }
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

    /// Whether rows of the tensor run along rows of boxes.
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
