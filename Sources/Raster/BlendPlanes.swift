/// Blends rows of tiles into a picture's planes with the format's own coefficients.
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

    func blend8(
        _ canvas: borrowing TileCanvas, _ small: borrowing ChromaRows, _ rows: Range<Int>,
        _ runs: [Range<Int>], _ picture: inout MutablePicture
    ) {
        picture.with8BitPlane(.luma) { samples, stride in
            for y in rows {
                for run in runs {
                    let n = min(run.upperBound, format.width) - run.lowerBound
                    let at = y * canvas.stride + run.lowerBound
                    let range = at..<at + n
                    let start = y * stride + run.lowerBound
                    var row = samples._mutatingExtracting(start..<start + n)
                    luma.blend(
                        &row, canvas.red.span.extracting(range), canvas.green.span.extracting(range),
                        canvas.blue.span.extracting(range), canvas.alpha.span.extracting(range))
                }
            }
        }
        for plane in [Plane.cb, .cr] {
            picture.with8BitPlane(plane) { samples, stride in
                forEachChromaRow(rows, runs, stride, small.stride) { start, range in
                    var row = samples._mutatingExtracting(start..<start + range.count)
                    let r = small.red.span.extracting(range)
                    let g = small.green.span.extracting(range)
                    let b = small.blue.span.extracting(range)
                    let a = small.alpha.span.extracting(range)
                    if plane == .cb { cb.blend(&row, b, r, g, a) } else { cr.blend(&row, r, g, b, a) }
                }
            }
        }
    }

    func blend16(
        _ canvas: borrowing TileCanvas, _ small: borrowing ChromaRows, _ rows: Range<Int>,
        _ runs: [Range<Int>], _ picture: inout MutablePicture
    ) {
        picture.with16BitPlane(.luma) { samples, stride in
            for y in rows {
                for run in runs {
                    let n = min(run.upperBound, format.width) - run.lowerBound
                    let at = y * canvas.stride + run.lowerBound
                    let range = at..<at + n
                    let start = y * stride + run.lowerBound
                    var row = samples._mutatingExtracting(start..<start + n)
                    luma.blend(
                        &row, canvas.red.span.extracting(range), canvas.green.span.extracting(range),
                        canvas.blue.span.extracting(range), canvas.alpha.span.extracting(range))
                }
            }
        }
        for plane in [Plane.cb, .cr] {
            picture.with16BitPlane(plane) { samples, stride in
                forEachChromaRow(rows, runs, stride, small.stride) { start, range in
                    var row = samples._mutatingExtracting(start..<start + range.count)
                    let r = small.red.span.extracting(range)
                    let g = small.green.span.extracting(range)
                    let b = small.blue.span.extracting(range)
                    let a = small.alpha.span.extracting(range)
                    if plane == .cb { cb.blend(&row, b, r, g, a) } else { cr.blend(&row, r, g, b, a) }
                }
            }
        }
    }

    /// Calls `body` for each run of each chroma row with where it starts in the plane and
    /// where it lies in the averaged rows.
    @inline(__always)
    private func forEachChromaRow(
        _ rows: Range<Int>, _ runs: [Range<Int>], _ planeStride: Int, _ smallStride: Int,
        _ body: (_ start: Int, _ range: Range<Int>) -> Void
    ) {
        let chroma = format.chroma
        let width = format.width(of: .cb)
        let first = rows.lowerBound >> chroma.shiftY
        let count = (rows.count + (1 << chroma.shiftY) - 1) >> chroma.shiftY
        for row in 0..<count {
            for run in runs {
                let left = run.lowerBound >> chroma.shiftX
                let n = min(run.upperBound >> chroma.shiftX, width) - left
                let at = row * smallStride + left
                body((first + row) * planeStride + left, at..<at + n)
            }
        }
    }
}
