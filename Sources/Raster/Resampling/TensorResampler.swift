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
    /// The tensor's row before it is converted.
    var lumaRow: [Float] = [], cbRow: [Float] = [], crRow: [Float] = []

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

    /// Fills planes of `height` rows of `width` samples with the codes of the picture, as of 8 bits each; what lies
    /// beyond its edges is like the nearest pixel.
    /// - Precondition: `toStored` is finite, and leads to places in the picture.
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

    /// Averages the boxes that a tensor covers; `nil` when it lies wholly beside the picture.
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
