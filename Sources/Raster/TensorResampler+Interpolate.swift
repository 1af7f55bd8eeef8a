/// The second step: bilinear interpolation between boxes, and conversion to R′G′B′.
extension TensorResampler {
    mutating func interpolate(
        _ lumaGrid: BoxGrid, _ chromaGrid: BoxGrid, _ conversion: RGBConversion,
        border: TensorBorder, width: Int, height: Int, into tensor: inout MutableSpan<Float>
    ) {
        if lumaGrid.isStraight, chromaGrid.isStraight {
            interpolateStraight(
                lumaGrid, chromaGrid, conversion, border: border, width: width, height: height,
                into: &tensor)
        } else {
            interpolateTurned(
                lumaGrid, chromaGrid, conversion, border: border, width: width, height: height,
                into: &tensor)
        }
    }

    /// Where rows of the tensor follow rows of boxes: each row of boxes is stretched to the
    /// tensor's width once, and rows are then mixed as a whole. To the bit the same as the way for
    /// turned tensors.
    private mutating func interpolateStraight(
        _ lumaGrid: BoxGrid, _ chromaGrid: BoxGrid, _ conversion: RGBConversion,
        border: TensorBorder, width: Int, height: Int, into tensor: inout MutableSpan<Float>
    ) {
        let isBare = border == .zero
        lumaRows.begin(lumaGrid, width: width)
        cbRows.begin(chromaGrid, width: width)
        crRows.begin(chromaGrid, width: width)
        for j in 0..<height {
            let place = BilinearRow(lumaGrid, y: j), chroma = BilinearRow(chromaGrid, y: j)
            lumaRows.move(to: place, in: luma)
            cbRows.move(to: chroma, in: cb)
            crRows.move(to: chroma, in: cr)
            var row = tensor._mutatingExtracting(j * width * 3..<(j + 1) * width * 3)
            Self.convert(lumaRows.mixed, cbRows.mixed, crRows.mixed, conversion, into: &row)
            if isBare { Self.cover(place, width, &row) }
        }
    }

    private static func convert(
        _ luma: [Float], _ cb: [Float], _ cr: [Float], _ conversion: RGBConversion,
        into row: inout MutableSpan<Float>
    ) {
        let luma = luma.span, cb = cb.span, cr = cr.span
        for i in 0..<row.count / 3 {
            let value = conversion.rgb(luma[i], cb[i], cr[i])
            row[3 &* i] = value.red
            row[3 &* i &+ 1] = value.green
            row[3 &* i &+ 2] = value.blue
        }
    }

    /// Darkens what lies beyond the picture.
    private static func cover(_ place: BilinearRow, _ width: Int, _ row: inout MutableSpan<Float>) {
        for i in 0..<width {
            let coverage = place.coverage(i)
            if coverage == 1 { continue }
            for k in 0..<3 { row[3 * i + k] *= coverage }
        }
    }

    private func interpolateTurned(
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

/// The two rows of a plane's boxes that a row of the tensor lies between, stretched to its width.
struct StretchedRows {
    private var taps: [(left: Int, right: Int, fraction: Float)] = []
    private var upper: [Float] = [], lower: [Float] = []
    private var upperRow = -1, lowerRow = -1
    private var columns = 0
    /// The row of the tensor.
    private(set) var mixed: [Float] = []

    /// Begins a tensor.
    fileprivate mutating func begin(_ grid: BoxGrid, width: Int) {
        let row = BilinearRow(grid, y: 0)
        taps.removeAll(keepingCapacity: true)
        for i in 0..<width {
            let tap = row.tap(i)
            taps.append((tap.a % grid.columns.count, tap.b % grid.columns.count, tap.fx))
        }
        if mixed.count != width {
            mixed = [Float](repeating: 0, count: width)
            upper = mixed
            lower = mixed
        }
        columns = grid.columns.count
        (upperRow, lowerRow) = (-1, -1)
    }

    /// Mixes the row of the tensor that lies at a place.
    fileprivate mutating func move(to place: BilinearRow, in boxes: [Float]) {
        let tap = place.tap(0)
        let first = tap.a / columns, second = tap.c / columns
        if first == lowerRow {
            swap(&upper, &lower)
            swap(&upperRow, &lowerRow)
        }
        if first != upperRow {
            Self.stretch(boxes, from: first * columns, taps, into: &upper)
            upperRow = first
        }
        if second != lowerRow {
            Self.stretch(boxes, from: second * columns, taps, into: &lower)
            lowerRow = second
        }
        Self.mix(upper, lower, tap.fy, into: &mixed)
    }

    private static func stretch(
        _ boxes: [Float], from start: Int, _ taps: [(left: Int, right: Int, fraction: Float)],
        into row: inout [Float]
    ) {
        let boxes = boxes.span.extracting(start..<boxes.count), taps = taps.span
        var row = row.mutableSpan
        for i in 0..<row.count {
            let tap = taps[i]
            let left = boxes[tap.left]
            row[i] = left + (boxes[tap.right] - left) * tap.fraction
        }
    }

    private static func mix(_ upper: [Float], _ lower: [Float], _ fraction: Float, into row: inout [Float]) {
        let upper = upper.span, lower = lower.span
        var row = row.mutableSpan
        for i in 0..<row.count { row[i] = upper[i] + (lower[i] - upper[i]) * fraction }
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
