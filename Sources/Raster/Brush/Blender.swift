internal import CRaster

/// Blends parts of rows of a ``BandBrush`` into a picture's planes, with the coefficients of the picture's format.
struct Blender {
    private let luma: CRasterLuma
    private let cb, cr: CRasterChroma
    private let format: PictureFormat

    init(_ format: PictureFormat) {
        let k = BlendCoefficients(format)
        self.format = format
        luma = CRasterLuma(k, bitDepth: format.bitDepth)
        cb = CRasterChroma(k.cbBlue, k.cbRed, k.cbGreen, k, bitDepth: format.bitDepth)
        cr = CRasterChroma(k.crRed, k.crGreen, k.crBlue, k, bitDepth: format.bitDepth)
    }

    /// Adds the luma of light, from offset `at` of a plane, to pixels of row `y`.
    func addLuma(
        _ light: borrowing BandPlane, at start: Int, to picture: inout MutablePicture, _ y: Int, _ columns: Range<Int>
    ) {
        let n = columns.count
        unsafe craster_luma_add(picture.samples(.luma, y, columns), light.samples(from: start, n), n, luma)
    }

    /// Covers pixels of row `y` with matter, whose luma and alpha are at offset `at` of two planes.
    func coverLuma(
        _ matter: borrowing BandPlane, _ alpha: borrowing BandPlane, at start: Int, on picture: inout MutablePicture,
        _ y: Int, _ columns: Range<Int>
    ) {
        let n = columns.count
        unsafe craster_luma_cover(
            picture.samples(.luma, y, columns), matter.samples(from: start, n), alpha.samples(from: start, n), n, luma)
    }

    /// Adds light, from offset `at` of the colours, to samples of row `y` of both chroma planes.
    func addChroma(
        _ colours: borrowing BandColours, at start: Int, to picture: inout MutablePicture, _ y: Int,
        _ columns: Range<Int>
    ) {
        let n = columns.count
        let (r, g) = unsafe (colours.red.samples(from: start, n), colours.green.samples(from: start, n))
        let b = unsafe colours.blue.samples(from: start, n)
        unsafe craster_chroma_add(picture.samples(.cb, y, columns), b, r, g, n, cb)
        unsafe craster_chroma_add(picture.samples(.cr, y, columns), r, g, b, n, cr)
    }

    /// Covers samples of row `y` of both chroma planes with matter, from offset `at` of planes that have the chroma
    /// planes' size.
    func coverChroma(
        _ colours: borrowing BandColours, _ alpha: borrowing BandPlane, at start: Int,
        on picture: inout MutablePicture, _ y: Int, _ columns: Range<Int>
    ) {
        let n = columns.count
        let (r, g) = unsafe (colours.red.samples(from: start, n), colours.green.samples(from: start, n))
        let (b, a) = unsafe (colours.blue.samples(from: start, n), alpha.samples(from: start, n))
        unsafe craster_chroma_blend(picture.samples(.cb, y, columns), b, r, g, a, n, cb)
        unsafe craster_chroma_blend(picture.samples(.cr, y, columns), r, g, b, a, n, cr)
    }

    /// Adds the band's light.
    func addLight(of brush: borrowing BandBrush, _ rows: Range<Int>, to picture: inout MutablePicture) {
        let width = format.width, stride = brush.stride
        for y in 0..<rows.count {
            brush.light.touched.forEachRun(inRow: y) { run in
                addLuma(
                    brush.light.luma, at: y * stride + run.lowerBound, to: &picture, rows.lowerBound + y,
                    run.clamped(to: 0..<width))
            }
        }
        forEachChromaRun(brush.light.touched, rows) { row, columns in
            addChroma(
                brush.light.colours, at: row * stride + columns.lowerBound, to: &picture,
                rows.lowerBound >> format.chroma.shiftY + row, columns)
        }
    }

    /// Blends the band's matter.
    /// - Precondition: The matter's averages at the chroma planes' size have been computed.
    func blendMatter(of brush: borrowing BandBrush, _ rows: Range<Int>, into picture: inout MutablePicture) {
        let width = format.width, stride = brush.stride
        for y in 0..<rows.count {
            brush.touched.forEachRun(inRow: y) { run in
                let columns = run.clamped(to: 0..<width)
                let (at, n) = (y * stride + run.lowerBound, columns.count)
                unsafe craster_luma_blend(
                    picture.samples(.luma, rows.lowerBound + y, columns), brush.colours.red.samples(from: at, n),
                    brush.colours.green.samples(from: at, n), brush.colours.blue.samples(from: at, n),
                    brush.alpha.samples(from: at, n), n, luma)
            }
        }
        forEachChromaRun(brush.touched, rows) { row, columns in
            coverChroma(
                brush.small, brush.smallAlpha, at: row * stride + columns.lowerBound, on: &picture,
                rows.lowerBound >> format.chroma.shiftY + row, columns)
        }
    }

    /// Calls `body` for runs of chroma samples that belong to marked pixels. `row` is counted from the band's first row
    /// of chroma samples.
    @inline(__always)
    private func forEachChromaRun(
        _ marks: borrowing BandMarks, _ rows: Range<Int>, _ body: (_ row: Int, _ columns: Range<Int>) -> Void
    ) {
        let (shiftX, shiftY) = (format.chroma.shiftX, format.chroma.shiftY)
        let width = format.width(of: .cb)
        for row in 0..<(rows.count + (1 << shiftY) - 1) >> shiftY {
            marks.forEachRun(inRow: row << shiftY, count: 1 << shiftY) { run in
                let columns = run.lowerBound >> shiftX..<min(run.upperBound >> shiftX, width)
                if !columns.isEmpty { body(row, columns) }
            }
        }
    }
}
