/// Blends parts of rows of a ``TileBrush`` into a picture's planes, with the coefficients of the picture's format.
struct Blender {
    private let luma: BlendLuma
    private let cb, cr: BlendChroma
    private let format: PictureFormat

    init(_ format: PictureFormat) {
        let k = BlendCoefficients(format)
        self.format = format
        luma = BlendLuma(k, bitDepth: format.bitDepth)
        cb = BlendChroma(k.cbBlue, k.cbRed, k.cbGreen, k, bitDepth: format.bitDepth)
        cr = BlendChroma(k.crRed, k.crGreen, k.crBlue, k, bitDepth: format.bitDepth)
    }

    /// Calls one of two bodies with part of a row, depending on the samples' depth.
    @inline(__always)
    private func with(
        _ plane: Plane, of picture: inout MutablePicture, row y: Int, _ columns: Range<Int>,
        bytes: (inout MutableSpan<UInt8>) -> Void, words: (inout MutableSpan<UInt16>) -> Void
    ) {
        if format.bitDepth == 8 {
            picture.with8BitPlane(plane) { samples, stride in
                var row = samples._mutatingExtracting(y * stride + columns.lowerBound..<y * stride + columns.upperBound)
                bytes(&row)
            }
        } else {
            picture.with16BitPlane(plane) { samples, stride in
                var row = samples._mutatingExtracting(y * stride + columns.lowerBound..<y * stride + columns.upperBound)
                words(&row)
            }
        }
    }

    /// Adds the luma of light, from offset `at` of a plane, to pixels of row `y`.
    func addLuma(
        _ light: borrowing TilePlane, at start: Int, to picture: inout MutablePicture, _ y: Int, _ columns: Range<Int>
    ) {
        let light = unsafe light.samples(from: start, columns.count)
        with(.luma, of: &picture, row: y, columns) {
            unsafe luma.add(light, to: &$0)
        } words: {
            unsafe luma.add(light, to: &$0)
        }
    }

    /// Covers pixels of row `y` with matter, whose luma and alpha are at offset `at` of two planes.
    func coverLuma(
        _ matter: borrowing TilePlane, _ alpha: borrowing TilePlane, at start: Int, on picture: inout MutablePicture,
        _ y: Int, _ columns: Range<Int>
    ) {
        let (m, a) = unsafe (matter.samples(from: start, columns.count), alpha.samples(from: start, columns.count))
        with(.luma, of: &picture, row: y, columns) {
            unsafe luma.cover(&$0, m, a)
        } words: {
            unsafe luma.cover(&$0, m, a)
        }
    }

    /// Adds the colours of light, from offset `at` of three planes, to samples of row `y` of both chroma planes.
    func addChroma(
        _ red: borrowing TilePlane, _ green: borrowing TilePlane, _ blue: borrowing TilePlane, at start: Int,
        to picture: inout MutablePicture, _ y: Int, _ columns: Range<Int>
    ) {
        let n = columns.count
        let (r, g) = unsafe (red.samples(from: start, n), green.samples(from: start, n))
        let b = unsafe blue.samples(from: start, n)
        with(.cb, of: &picture, row: y, columns) {
            unsafe cb.add(b, r, g, to: &$0)
        } words: {
            unsafe cb.add(b, r, g, to: &$0)
        }
        with(.cr, of: &picture, row: y, columns) {
            unsafe cr.add(r, g, b, to: &$0)
        } words: {
            unsafe cr.add(r, g, b, to: &$0)
        }
    }

    /// Covers samples of row `y` of both chroma planes with matter, from offset `at` of four planes that have the
    /// chroma planes' size.
    func coverChroma(
        _ red: borrowing TilePlane, _ green: borrowing TilePlane, _ blue: borrowing TilePlane,
        _ alpha: borrowing TilePlane, at start: Int, on picture: inout MutablePicture, _ y: Int, _ columns: Range<Int>
    ) {
        let n = columns.count
        let (r, g) = unsafe (red.samples(from: start, n), green.samples(from: start, n))
        let (b, a) = unsafe (blue.samples(from: start, n), alpha.samples(from: start, n))
        with(.cb, of: &picture, row: y, columns) {
            unsafe cb.blend(&$0, b, r, g, a)
        } words: {
            unsafe cb.blend(&$0, b, r, g, a)
        }
        with(.cr, of: &picture, row: y, columns) {
            unsafe cr.blend(&$0, r, g, b, a)
        } words: {
            unsafe cr.blend(&$0, r, g, b, a)
        }
    }

    /// Adds the band's light.
    func addLight(of brush: borrowing TileBrush, _ rows: Range<Int>, to picture: inout MutablePicture) {
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
                brush.light.red, brush.light.green, brush.light.blue, at: row * stride + columns.lowerBound,
                to: &picture, rows.lowerBound >> format.chroma.shiftY + row, columns)
        }
    }

    /// Blends the band's matter.
    /// - Precondition: The matter's averages at the chroma planes' size have been computed.
    func blendMatter(of brush: borrowing TileBrush, _ rows: Range<Int>, into picture: inout MutablePicture) {
        let width = format.width, stride = brush.stride
        for y in 0..<rows.count {
            brush.touched.forEachRun(inRow: y) { run in
                let columns = run.clamped(to: 0..<width)
                let (at, n) = (y * stride + run.lowerBound, columns.count)
                let (r, g) = unsafe (brush.red.samples(from: at, n), brush.green.samples(from: at, n))
                let (b, a) = unsafe (brush.blue.samples(from: at, n), brush.alpha.samples(from: at, n))
                with(.luma, of: &picture, row: rows.lowerBound + y, columns) {
                    unsafe luma.blend(&$0, r, g, b, a)
                } words: {
                    unsafe luma.blend(&$0, r, g, b, a)
                }
            }
        }
        forEachChromaRun(brush.touched, rows) { row, columns in
            coverChroma(
                brush.smallRed, brush.smallGreen, brush.smallBlue, brush.smallAlpha,
                at: row * stride + columns.lowerBound, on: &picture, rows.lowerBound >> format.chroma.shiftY + row,
                columns)
        }
    }

    /// Calls `body` for runs of chroma samples that belong to marked pixels. `row` is counted from the band's first row
    /// of chroma samples.
    @inline(__always)
    private func forEachChromaRun(
        _ marks: borrowing TileMarks, _ rows: Range<Int>, _ body: (_ row: Int, _ columns: Range<Int>) -> Void
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
