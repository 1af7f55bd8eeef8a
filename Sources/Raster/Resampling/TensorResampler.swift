/// The values of a tensor's pixels beyond the edges of the picture.
package enum TensorBorder: Sendable, Hashable {
    /// Black, as for a letterbox.
    case zero
    /// The nearest pixel of the picture.
    case replicate
}

/// Draws part of a picture, rotated and scaled, into the input of a neural network: interleaved R′G′B′ floats (NHWC),
/// 0…1.
///
/// Resampling has two steps, neither of which copies the whole picture. First the samples of each plane that the tensor
/// covers are averaged over whole boxes, so that strong minification does not alias. A box has the number of samples
/// that one tensor pixel spans. Then the tensor's pixels are interpolated bilinearly between the boxes and converted to
/// R′G′B′. Chroma samples are assumed to be in the middle of the luma samples that share them.
///
/// A resampler keeps its buffers between calls, so each model owns one. Threads must not share a resampler.
package struct TensorResampler: ~Copyable {
    /// The averages of each plane's boxes, row after row.
    var luma: [Float] = [], cb: [Float] = [], cr: [Float] = []
    /// For each column of samples, the sum over the rows of one row of boxes.
    var sums: [UInt32] = []
    var shortSums: [UInt16] = []
    /// Rows of boxes, resampled to the tensor's width.
    var lumaRows = ResampledRows(), cbRows = ResampledRows(), crRows = ResampledRows()
    /// The current row of the tensor as Y′CbCr, before its conversion to R′G′B′.
    var lumaRow: [Float] = [], cbRow: [Float] = [], crRow: [Float] = []

    package init() {}

    /// Fills `tensor` (`height` × `width` × 3) from the picture.
    /// - Parameter toStored: The transform from tensor pixels to *stored* pixels; compose it with
    ///   ``DisplayGeometry/uprightToStored`` to get an upright tensor. A tensor entirely outside the picture is black,
    ///   independent of the border.
    /// - Precondition: `tensor.count >= width * height * 3`, and `toStored` is finite.
    /// - Complexity: O(stored pixels covered + tensor pixels).
    package mutating func resample(
        _ picture: borrowing Picture, toStored: AffineTransform, border: TensorBorder,
        width: Int, height: Int, into tensor: inout MutableSpan<Float>
    ) {
        precondition(tensor.count >= width * height * 3)
        guard let grids = averageBoxes(picture, toStored: toStored, width: width, height: height) else {
            for index in 0..<(width * height * 3) { tensor[index] = 0 }
            return
        }
        let conversion = RGBConversion(picture.format)
        begin(grids, width: width)
        for y in 0..<height {
            let place = interpolate(grids, row: y)
            var row = tensor._mutatingExtracting(y * width * 3..<(y + 1) * width * 3)
            convert(conversion, into: &row)
            if border == .zero { place.cover(&row) }
        }
    }

    /// Fills three planes of `height` rows of `width` samples with the picture's Y′CbCr codes, scaled to 8 bits.
    /// Samples beyond the picture's edges repeat the nearest pixel.
    /// - Precondition: `toStored` is finite, and the tensor overlaps the picture.
    package mutating func resamplePlanes(
        _ picture: borrowing Picture, toStored: AffineTransform, width: Int, height: Int,
        luma: inout [UInt8], cb: inout [UInt8], cr: inout [UInt8]
    ) {
        precondition(min(luma.count, cb.count, cr.count) >= width * height)
        guard let grids = averageBoxes(picture, toStored: toStored, width: width, height: height) else { return }
        let scale = 1 / Float(1 << (picture.format.bitDepth - 8))
        begin(grids, width: width)
        for y in 0..<height {
            interpolate(grids, row: y)
            Self.round(lumaRow, scale, into: &luma, at: y * width)
            Self.round(cbRow, scale, into: &cb, at: y * width)
            Self.round(crRow, scale, into: &cr, at: y * width)
        }
    }

    private static func round(_ row: [Float], _ scale: Float, into codes: inout [UInt8], at start: Int) {
        let row = row.span
        var codes = codes.mutableSpan
        for x in 0..<row.count { codes[start &+ x] = UInt8(min(255, row[x] * scale + 0.5)) }
    }

    /// Averages the boxes that a tensor covers; returns `nil` if the tensor is entirely outside the picture.
    private mutating func averageBoxes(
        _ picture: borrowing Picture, toStored: AffineTransform, width: Int, height: Int
    ) -> BoxGrids? {
        let format = picture.format
        let toChroma = toStored.then(
            .scale(
                x: 1 / Double(1 << format.chroma.shiftX), y: 1 / Double(1 << format.chroma.shiftY)))
        guard let lumaGrid = BoxGrid(format, .luma, toPlane: toStored, width: width, height: height),
            let chromaGrid = BoxGrid(format, .cb, toPlane: toChroma, width: width, height: height)
        else { return nil }
        Self.reduce(picture, .luma, to: lumaGrid, sums: &sums, &shortSums, into: &luma)
        Self.reduce(picture, .cb, to: chromaGrid, sums: &sums, &shortSums, into: &cb)
        Self.reduce(picture, .cr, to: chromaGrid, sums: &sums, &shortSums, into: &cr)
        return BoxGrids(luma: lumaGrid, chroma: chromaGrid)
    }
}

/// The first step: averages of boxes.
extension TensorResampler {
    /// Fills `boxes` with the averages of the grid's boxes in one plane.
    static func reduce(
        _ picture: borrowing Picture, _ plane: Plane, to grid: BoxGrid, sums: inout [UInt32],
        _ shortSums: inout [UInt16], into boxes: inout [Float]
    ) {
        let count = grid.columns.count * grid.rows.count
        if boxes.count < count { boxes = [Float](repeating: 0, count: count) }
        if picture.format.bitDepth == 8, grid.boxHeight <= 257 {
            // 16-bit sums are twice as fast, and 257 · 255 is the greatest sum that they can hold.
            picture.with8BitPlane(plane) { reduce($0, $1, to: grid, sums: &shortSums, into: &boxes) }
        } else if picture.format.bitDepth == 8 {
            picture.with8BitPlane(plane) { reduce($0, $1, to: grid, sums: &sums, into: &boxes) }
        } else {
            picture.with16BitPlane(plane) { reduce($0, $1, to: grid, sums: &sums, into: &boxes) }
        }
    }

    @inline(__always)
    private static func reduce<
        Sample: FixedWidthInteger & UnsignedInteger, Sum: FixedWidthInteger & UnsignedInteger
    >(
        _ samples: Span<Sample>, _ stride: Int, to grid: BoxGrid, sums: inout [Sum],
        into boxes: inout [Float]
    ) {
        let firstX = grid.columns.lowerBound * grid.boxWidth
        let endX = min(grid.columns.upperBound * grid.boxWidth, grid.planeWidth)
        let width = endX - firstX
        if sums.count < width { sums = [Sum](repeating: 0, count: width) }
        var sum = sums.mutableSpan
        var target = boxes.mutableSpan
        var offset = 0
        for row in grid.rows {
            let firstY = row * grid.boxHeight
            let endY = min(firstY + grid.boxHeight, grid.planeHeight)
            let start = firstY * stride + firstX
            if grid.boxHeight == 1, grid.boxWidth == 1 {
                copy(samples.extracting(start..<(start + width)), &target, at: offset)
            } else {
                set(samples.extracting(start..<(start + width)), to: &sum)
                for y in (firstY + 1)..<max(endY, firstY + 1) {
                    let start = y * stride + firstX
                    add(samples.extracting(start..<(start + width)), to: &sum)
                }
                average(sum.span, of: width, grid, rows: endY - firstY, &target, at: offset)
            }
            offset += grid.columns.count
        }
    }

    @inline(__always)
    private static func copy<Sample: FixedWidthInteger & UnsignedInteger>(
        _ line: Span<Sample>, _ target: inout MutableSpan<Float>, at offset: Int
    ) {
        for x in 0..<line.count { target[offset &+ x] = Float(line[x]) }
    }

    @inline(__always)
    private static func set<
        Sample: FixedWidthInteger & UnsignedInteger, Sum: FixedWidthInteger & UnsignedInteger
    >(_ line: Span<Sample>, to sum: inout MutableSpan<Sum>) {
        for x in 0..<line.count { sum[x] = Sum(truncatingIfNeeded: line[x]) }
    }

    @inline(__always)
    private static func add<
        Sample: FixedWidthInteger & UnsignedInteger, Sum: FixedWidthInteger & UnsignedInteger
    >(_ line: Span<Sample>, to sum: inout MutableSpan<Sum>) {
        for x in 0..<line.count { sum[x] &+= Sum(truncatingIfNeeded: line[x]) }
    }

    /// Averages sums of columns into one row of boxes; the last box may be narrower.
    @inline(__always)
    private static func average<Sum: FixedWidthInteger & UnsignedInteger>(
        _ sums: Span<Sum>, of width: Int, _ grid: BoxGrid, rows: Int,
        _ target: inout MutableSpan<Float>, at offset: Int
    ) {
        let boxWidth = grid.boxWidth
        let scale = 1 / Float(boxWidth * rows)
        let whole = width / boxWidth
        var x = 0
        for column in 0..<whole {
            var total: UInt32 = 0
            for _ in 0..<boxWidth {
                total &+= UInt32(truncatingIfNeeded: sums[x])
                x &+= 1
            }
            target[offset &+ column] = Float(total) * scale
        }
        if x < width {
            var total: UInt32 = 0
            for rest in x..<width { total &+= UInt32(truncatingIfNeeded: sums[rest]) }
            target[offset &+ whole] = Float(total) / Float((width - x) * rows)
        }
    }
}

/// The second step: bilinear interpolation between boxes, and conversion to R′G′B′.
extension TensorResampler {
    /// Prepares the rows for a tensor of the given width.
    mutating func begin(_ grids: BoxGrids, width: Int) {
        if grids.areStraight {
            lumaRows.begin(grids.luma, width: width)
            cbRows.begin(grids.chroma, width: width)
            crRows.begin(grids.chroma, width: width)
        }
        if lumaRow.count != width {
            lumaRow = [Float](repeating: 0, count: width)
            cbRow = lumaRow
            crRow = lumaRow
        }
    }

    /// Fills ``lumaRow``, ``cbRow`` and ``crRow``.
    ///
    /// If rows of the tensor are parallel to rows of boxes, each row of boxes is stretched to the tensor's width once,
    /// and whole rows are then mixed. The result is bit-identical to the per-pixel path of rotated tensors.
    /// - Returns: The row's sampling positions in the plane of luma.
    @discardableResult
    mutating func interpolate(_ grids: BoxGrids, row y: Int) -> BilinearRow {
        let place = BilinearRow(grids.luma, y: y), chroma = BilinearRow(grids.chroma, y: y)
        if grids.areStraight {
            lumaRows.mix(luma, at: place, into: &lumaRow)
            cbRows.mix(cb, at: chroma, into: &cbRow)
            crRows.mix(cr, at: chroma, into: &crRow)
        } else {
            place.read(luma, into: &lumaRow)
            chroma.read(cb, cr, into: &cbRow, &crRow)
        }
        return place
    }

    /// Converts the rows that ``interpolate(_:row:)`` filled last into a row of the tensor.
    func convert(_ conversion: RGBConversion, into row: inout MutableSpan<Float>) {
        let luma = lumaRow.span, cb = cbRow.span, cr = crRow.span
        for i in 0..<luma.count {
            let value = conversion.rgb(luma[i], cb[i], cr[i])
            row[3 &* i] = value.red
            row[3 &* i &+ 1] = value.green
            row[3 &* i &+ 2] = value.blue
        }
    }
}

/// The boxes of a picture's planes.
struct BoxGrids {
    let luma: BoxGrid, chroma: BoxGrid

    /// True if rows of the tensor are parallel to rows of boxes.
    var areStraight: Bool { luma.isStraight && chroma.isStraight }
}

/// The boxes of a plane's samples that are averaged before interpolation.
///
/// Boxes start at whole multiples of their size from the plane's corner, so that the same place in a picture is
/// averaged the same way in any crop.
struct BoxGrid {
    /// The size of a box in samples.
    let boxWidth: Int, boxHeight: Int
    /// The boxes in use, counted from the plane's corner.
    let columns: Range<Int>, rows: Range<Int>
    /// The size of the plane in samples.
    let planeWidth: Int, planeHeight: Int
    /// The transform from tensor pixels to boxes, counted from the plane's corner.
    let fromTensor: AffineTransform

    var isStraight: Bool { fromTensor.b == 0 && fromTensor.c == 0 }

    /// Creates the grid; `nil` if the tensor is entirely outside the picture.
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

    /// Returns the size of a box: `scale`, the number of samples that one tensor pixel spans, rounded down.
    private static func boxSize(_ scale: Double, limit: Int) -> Int {
        Int(max(1, min(scale.rounded(.down), Double(limit))))
    }

    /// Returns the extent of a parallelogram along one axis, from a corner and its two edges.
    private static func extent(
        _ corner: Double, _ edge: Double, _ other: Double
    ) -> (lower: Double, upper: Double) {
        (corner + min(0, edge) + min(0, other), corner + max(0, edge) + max(0, other))
    }

    /// Returns the boxes that an extent needs, with one more on each side for the bilinear kernel; `nil` if the extent
    /// is outside the plane's `count` boxes.
    private static func boxes(
        over extent: (lower: Double, upper: Double), count: Int
    ) -> Range<Int>? {
        let lower = Int(max(-1, min(Double(count), extent.lower.rounded(.down) - 1)))
        let upper = Int(max(-1, min(Double(count), extent.upper.rounded(.up) + 1)))
        guard lower < count, upper >= 0 else { return nil }
        return max(lower, 0)..<min(upper + 1, count)
    }
}
