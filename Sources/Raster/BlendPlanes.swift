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
        _ canvas: borrowing TileCanvas, _ rows: Range<Int>, _ runs: [Range<Int>],
        _ picture: inout MutablePicture
    ) {
        picture.with8BitPlane(.luma) { samples, stride in
            for y in rows {
                for run in runs {
                    let n = min(run.upperBound, format.width) - run.lowerBound
                    let at = (y - rows.lowerBound) * canvas.stride + run.lowerBound
                    let start = y * stride + run.lowerBound
                    var row = samples._mutatingExtracting(start..<start + n)
                    let r = unsafe canvas.red.buffer(from: at, n).span
                    let g = unsafe canvas.green.buffer(from: at, n).span
                    let b = unsafe canvas.blue.buffer(from: at, n).span
                    if canvas.holdsMatter {
                        luma.blend(&row, r, g, b, unsafe canvas.alpha.buffer(from: at, n).span)
                    } else {
                        luma.add(&row, r, g, b)
                    }
                }
            }
        }
        for plane in [Plane.cb, .cr] {
            picture.with8BitPlane(plane) { samples, stride in
                forEachChromaRow(rows, runs, stride, canvas.stride) { start, range in
                    var row = samples._mutatingExtracting(start..<start + range.count)
                    let r = unsafe canvas.smallRed.buffer(from: range.lowerBound, range.count).span
                    let g = unsafe canvas.smallGreen.buffer(from: range.lowerBound, range.count).span
                    let b = unsafe canvas.smallBlue.buffer(from: range.lowerBound, range.count).span
                    if canvas.holdsMatter {
                        let a = unsafe canvas.smallAlpha.buffer(from: range.lowerBound, range.count).span
                        if plane == .cb { cb.blend(&row, b, r, g, a) } else { cr.blend(&row, r, g, b, a) }
                    } else if plane == .cb {
                        cb.add(&row, b, r, g)
                    } else {
                        cr.add(&row, r, g, b)
                    }
                }
            }
        }
    }

    func blend16(
        _ canvas: borrowing TileCanvas, _ rows: Range<Int>, _ runs: [Range<Int>],
        _ picture: inout MutablePicture
    ) {
        picture.with16BitPlane(.luma) { samples, stride in
            for y in rows {
                for run in runs {
                    let n = min(run.upperBound, format.width) - run.lowerBound
                    let at = (y - rows.lowerBound) * canvas.stride + run.lowerBound
                    let start = y * stride + run.lowerBound
                    var row = samples._mutatingExtracting(start..<start + n)
                    luma.blend(
                        &row, unsafe canvas.red.buffer(from: at, n).span, unsafe canvas.green.buffer(from: at, n).span,
                        unsafe canvas.blue.buffer(from: at, n).span, unsafe canvas.alpha.buffer(from: at, n).span)
                }
            }
        }
        for plane in [Plane.cb, .cr] {
            picture.with16BitPlane(plane) { samples, stride in
                forEachChromaRow(rows, runs, stride, canvas.stride) { start, range in
                    var row = samples._mutatingExtracting(start..<start + range.count)
                    let r = unsafe canvas.smallRed.buffer(from: range.lowerBound, range.count).span
                    let g = unsafe canvas.smallGreen.buffer(from: range.lowerBound, range.count).span
                    let b = unsafe canvas.smallBlue.buffer(from: range.lowerBound, range.count).span
                    let a = unsafe canvas.smallAlpha.buffer(from: range.lowerBound, range.count).span
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
