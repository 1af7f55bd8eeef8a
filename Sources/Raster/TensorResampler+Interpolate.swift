/// The second step: bilinear interpolation between boxes, and conversion to R′G′B′.
extension TensorResampler {
    func interpolate(
        _ lumaGrid: BoxGrid, _ chromaGrid: BoxGrid, _ conversion: RGBConversion,
        border: TensorBorder, width: Int, height: Int, into tensor: inout MutableSpan<Float>
    ) {
        let luma = luma.span, cb = cb.span, cr = cr.span
        for j in 0..<height {
            let lumaRow = BilinearRow(lumaGrid, y: j), chromaRow = BilinearRow(chromaGrid, y: j)
            var index = j &* width &* 3
            for i in 0..<width {
                let place = lumaRow.tap(i), chroma = chromaRow.tap(i)
                var value = conversion.rgb(
                    place.value(in: luma), chroma.value(in: cb), chroma.value(in: cr))
                if border == .zero {
                    let coverage = lumaRow.coverage(i)
                    value.red *= coverage
                    value.green *= coverage
                    value.blue *= coverage
                }
                tensor[index] = value.red
                tensor[index &+ 1] = value.green
                tensor[index &+ 2] = value.blue
                index &+= 3
            }
        }
    }
}

/// Where the pixels of one row of a tensor lie between the boxes of a plane.
///
/// Positions count boxes from the first one in use; the centre of a box is a whole number.
private struct BilinearRow {
    private let startX: Float, startY: Float, stepX: Float, stepY: Float
    private let lastX: Float, lastY: Float
    private let columns: Int, lastRow: Int
    /// Where the plane begins and ends.
    private let left: Float, top: Float, right: Float, bottom: Float

    @inline(__always)
    init(_ grid: BoxGrid, y: Int) {
        let map = grid.fromTensor
        let start = map.apply(x: 0.5, y: Double(y) + 0.5)
        let firstColumn = Double(grid.columns.lowerBound), firstRow = Double(grid.rows.lowerBound)
        startX = Float(start.x - firstColumn - 0.5)
        startY = Float(start.y - firstRow - 0.5)
        stepX = Float(map.a)
        stepY = Float(map.b)
        columns = grid.columns.count
        lastRow = grid.rows.count - 1
        lastX = Float(columns - 1)
        lastY = Float(lastRow)
        left = Float(-firstColumn - 0.5)
        top = Float(-firstRow - 0.5)
        right = Float(Double(grid.planeWidth) / Double(grid.boxWidth) - firstColumn - 0.5)
        bottom = Float(Double(grid.planeHeight) / Double(grid.boxHeight) - firstRow - 0.5)
    }

    @inline(__always)
    func tap(_ i: Int) -> BilinearTap {
        let x = max(0, min(lastX, startX + Float(i) * stepX))
        let y = max(0, min(lastY, startY + Float(i) * stepY))
        let x0 = Int(x), y0 = Int(y)
        let x1 = min(x0 &+ 1, columns &- 1)
        let upper = y0 &* columns, lower = min(y0 &+ 1, lastRow) &* columns
        return BilinearTap(
            a: upper &+ x0, b: upper &+ x1, c: lower &+ x0, d: lower &+ x1, fx: x - Float(x0),
            fy: y - Float(y0))
    }

    /// How much of the kernel of a pixel lies within the picture, 0…1.
    @inline(__always)
    func coverage(_ i: Int) -> Float {
        let x = startX + Float(i) * stepX, y = startY + Float(i) * stepY
        let inX = max(0, min(1, min(x - left, right - x) + 0.5))
        let inY = max(0, min(1, min(y - top, bottom - y) + 0.5))
        return inX * inY
    }
}

/// Four boxes and the place between them.
private struct BilinearTap {
    let a: Int, b: Int, c: Int, d: Int
    let fx: Float, fy: Float

    @inline(__always)
    func value(in boxes: Span<Float>) -> Float {
        let above = boxes[a] + (boxes[b] - boxes[a]) * fx
        let below = boxes[c] + (boxes[d] - boxes[c]) * fx
        return above + (below - above) * fy
    }
}
