internal import CRaster

/// A picture as the mean linear light of 32 × 18 cells, in shares of diffuse white. `FlashLimiter` of Effects compares
/// one picture with the next.
///
/// Up to 64 points of each cell are read, so the cost is the same for all large pictures.
package struct LightCells: Sendable {
    package static let columns = 32, rows = 18
    package static var count: Int { columns * rows }
    /// The maximum number of points of a cell, across and down.
    private static let points = 8
    private static let steps = 1023

    package private(set) var red = [Float](repeating: 0, count: count)
    package private(set) var green = [Float](repeating: 0, count: count)
    package private(set) var blue = [Float](repeating: 0, count: count)
    /// The light of each R′G′B′ code of ``encoding``, and the encoding.
    private var light: [Float] = []
    private var encoding: ColourEncoding?
    /// The share of each component in the relative luminance.
    private var weights: (red: Float, green: Float, blue: Float) = (0.2126, 0.7152, 0.0722)

    package init() {}

    /// Creates the cells of a picture of one shade of grey.
    package init(grey: Float) {
        red = [Float](repeating: grey, count: Self.count)
        (green, blue) = (red, red)
    }

    /// Returns the relative luminance of a cell, 0…1 (WCAG 2.2).
    package func luminance(_ cell: Int) -> Float {
        weights.red * red[cell] + weights.green * green[cell] + weights.blue * blue[cell]
    }

    /// Returns (R − G − B) × 320 of a cell, at least 0, and whether the cell is saturated red (WCAG 2.2, red flash).
    package func redness(_ cell: Int) -> (value: Float, isSaturated: Bool) {
        let (r, g, b) = (red[cell], green[cell], blue[cell])
        return (max(0, (r - g - b) * 320), r >= 0.8 * (r + g + b) && r > 0)
    }

    /// Reads a picture.
    package mutating func read(_ picture: borrowing Picture) {
        let format = picture.format
        prepare(for: format)
        let columns = (0..<Self.columns).map { Self.places($0, of: Self.columns, in: format.width) }
        let cells = columns.indices.flatMap { Array(repeating: UInt16($0), count: columns[$0].count) }
        let at = columns.joined().map { UInt32($0) }, colourAt = at.map { $0 >> format.chroma.shiftX }
        let coefficients = CRasterLight(RGBConversion(format), lastEntry: Self.steps, bitDepth: format.bitDepth)
        for row in 0..<Self.rows {
            let ys = Self.places(row, of: Self.rows, in: format.height)
            var r = [Float](repeating: 0, count: Self.columns), g = r, b = r
            for y in ys {
                let chromaY = y >> format.chroma.shiftY
                unsafe craster_cell_light(
                    &r, &g, &b, cells, picture.row(.luma, y), picture.row(.cb, chromaY), picture.row(.cr, chromaY), at,
                    colourAt, at.count, light, coefficients)
            }
            for column in 0..<Self.columns {
                let cell = row * Self.columns + column, share = 1 / Float(columns[column].count * ys.count)
                (red[cell], green[cell], blue[cell]) = (r[column] * share, g[column] * share, b[column] * share)
            }
        }
    }

    private mutating func prepare(for format: PictureFormat) {
        let encoding = ColourEncoding(format)
        guard self.encoding != encoding else { return }
        self.encoding = encoding
        weights = encoding.primaries == .bt2020 ? (0.2627, 0.6780, 0.0593) : (0.2126, 0.7152, 0.0722)
        let white = encoding.light(of: encoding.white)
        light = (0...Self.steps).map { step in
            let code = Double(step) / Double(Self.steps)
            guard encoding.transfer == .sdr else { return Float(min(encoding.light(of: code) / white, 1)) }
            return Float(
                code <= 0.04045 ? code / 12.92 : ColourEncoding.power((code + 0.055) / 1.055, 2.4))
        }
    }

    /// Returns the places of a cell's points along one axis. In a picture with fewer samples than cells, neighbouring
    /// cells share a sample.
    private static func places(_ cell: Int, of cells: Int, in size: Int) -> [Int] {
        let start = min(cell * size / cells, size - 1)
        let length = max((cell + 1) * size / cells - start, 1), count = min(length, points)
        return (0..<count).map { start + (2 * $0 + 1) * length / (2 * count) }
    }
}

extension CRasterLight {
    fileprivate init(_ colours: RGBConversion, lastEntry: Int, bitDepth: Int) {
        self.init(
            luma_offset: colours.lumaOffset, luma_scale: colours.lumaScale, chroma_offset: colours.chromaOffset,
            red_cr: colours.red, green_cb: colours.greenFromCb, green_cr: colours.greenFromCr, blue_cb: colours.blue,
            last: Float(lastEntry), is_deep: bitDepth > 8)
    }
}

extension MutablePicture {
    /// Mixes the picture with an earlier version of it.
    ///
    /// - Parameters:
    ///   - before: A picture of the same format.
    ///   - share: The share of this picture that remains, 0…1; at 0 it becomes equal to `before`.
    package mutating func mix(with before: borrowing Picture, keeping share: Double) {
        let share = Int32((min(max(share, 0), 1) * 256).rounded())
        for plane in Plane.allCases {
            let (width, height) = (format.width(of: plane), format.height(of: plane))
            if format.bitDepth == 8 {
                before.with8BitPlane(plane) { old, from in
                    with8BitPlane(plane) { samples, stride in
                        Self.mix(&samples, stride, old, from, width, height, share)
                    }
                }
            } else {
                before.with16BitPlane(plane) { old, from in
                    with16BitPlane(plane) { samples, stride in
                        Self.mix(&samples, stride, old, from, width, height, share)
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func mix<Sample: FixedWidthInteger & UnsignedInteger>(
        _ samples: inout MutableSpan<Sample>, _ stride: Int, _ old: Span<Sample>, _ from: Int, _ width: Int,
        _ height: Int, _ share: Int32
    ) {
        for y in 0..<height {
            for x in 0..<width {
                let before = Int32(truncatingIfNeeded: old[y * from + x])
                let change = Int32(truncatingIfNeeded: samples[y * stride + x]) - before
                samples[y * stride + x] = Sample(truncatingIfNeeded: before + (change * share + 128) >> 8)
            }
        }
    }
}
