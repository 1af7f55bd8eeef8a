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
/// Two steps, neither of which makes an RGB copy of the whole picture. First
/// the samples that the tensor covers are averaged over whole boxes (as many
/// samples as one tensor pixel spans, so that strong minification does not
/// alias) and converted to R′G′B′. Then the tensor's pixels are interpolated
/// bilinearly between the boxes. Chroma is taken as constant over the luma
/// samples that share it.
///
/// Keep one resampler for each use: it reuses its memory.
package struct TensorResampler: ~Copyable {
    /// The boxes that the tensor covers, row after row: red, green, blue, nothing.
    var boxes: [SIMD4<Float>] = []
    /// Sums over the rows of one row of boxes.
    var lumaSums: [UInt32] = [], cbSums: [UInt32] = [], crSums: [UInt32] = []

    package init() {}

    /// Fills `tensor` (`height` × `width` × 3) from the picture.
    /// - Parameter toStored: from tensor pixels to *stored* pixels; compose it
    ///   with ``DisplayGeometry/uprightToStored`` to get an upright tensor.
    /// - Precondition: `tensor.count >= width * height * 3`, and `toStored` is finite.
    /// - Complexity: O(stored pixels covered + tensor pixels).
    package mutating func resample(
        _ picture: borrowing Picture, toStored: AffineTransform, border: TensorBorder,
        width: Int, height: Int, into tensor: inout MutableSpan<Float>
    ) {
        precondition(tensor.count >= width * height * 3)
        let grid = BoxGrid(picture.format, toStored: toStored, width: width, height: height)
        guard let grid else {
            for index in 0..<(width * height * 3) { tensor[index] = 0 }
            return
        }
        reduce(picture, to: grid)
        interpolate(
            grid, grid.fromTensor(toStored), border: border, width: width, height: height,
            into: &tensor)
    }
}

/// The boxes of stored samples that are averaged before interpolation.
///
/// Boxes start at whole multiples of their size from the picture's corner, so
/// that the same place in the picture is averaged the same way whatever part is wanted.
struct BoxGrid {
    /// The size of a box in luma samples.
    let boxWidth: Int, boxHeight: Int
    /// The boxes in use, counted from the picture's corner.
    let columns: Range<Int>, rows: Range<Int>
    /// The size of the picture in boxes, the last of which may be cut.
    let pictureColumns: Double, pictureRows: Double
    let format: PictureFormat

    /// `nil` when the tensor lies wholly beside the picture.
    init?(_ format: PictureFormat, toStored t: AffineTransform, width: Int, height: Int) {
        self.format = format
        boxWidth = Self.boxSize((t.a * t.a + t.c * t.c).squareRoot(), limit: format.width)
        boxHeight = Self.boxSize((t.b * t.b + t.d * t.d).squareRoot(), limit: format.height)
        let bw = Double(boxWidth), bh = Double(boxHeight)
        let w = Double(width), h = Double(height)
        let spanX = (min(0, t.a * w) + min(0, t.c * h), max(0, t.a * w) + max(0, t.c * h))
        let spanY = (min(0, t.b * w) + min(0, t.d * h), max(0, t.b * w) + max(0, t.d * h))
        // One box more on each side for the bilinear kernel.
        let lastColumn = (format.width - 1) / boxWidth, lastRow = (format.height - 1) / boxHeight
        func clamped(_ value: Double, _ last: Int) -> Int {
            Int(max(-1, min(Double(last) + 1, value)))
        }
        let left = clamped(((t.tx + spanX.0) / bw).rounded(.down) - 1, lastColumn)
        let right = clamped(((t.tx + spanX.1) / bw).rounded(.up) + 1, lastColumn)
        let top = clamped(((t.ty + spanY.0) / bh).rounded(.down) - 1, lastRow)
        let bottom = clamped(((t.ty + spanY.1) / bh).rounded(.up) + 1, lastRow)
        guard left <= lastColumn, top <= lastRow, right >= 0, bottom >= 0 else { return nil }
        columns = max(left, 0)..<(min(right, lastColumn) + 1)
        rows = max(top, 0)..<(min(bottom, lastRow) + 1)
        pictureColumns = Double(format.width) / bw
        pictureRows = Double(format.height) / bh
    }

    /// The whole samples in `scale`, the samples that one tensor pixel spans.
    private static func boxSize(_ scale: Double, limit: Int) -> Int {
        Int(max(1, min(scale.rounded(.down), Double(limit))))
    }

    /// From tensor pixels to boxes counted from the picture's corner.
    func fromTensor(_ toStored: AffineTransform) -> AffineTransform {
        toStored.then(.scale(x: 1 / Double(boxWidth), y: 1 / Double(boxHeight)))
    }
}
