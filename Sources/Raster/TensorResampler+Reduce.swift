/// The first step: averages of boxes, in R′G′B′.
extension TensorResampler {
    /// Fills `boxes` with the averages of the grid's boxes.
    mutating func reduce(_ picture: borrowing Picture, to grid: BoxGrid) {
        let count = grid.columns.count * grid.rows.count
        if boxes.count < count { boxes = [SIMD4<Float>](repeating: .zero, count: count) }
        if picture.format.bitDepth == 8 {
            picture.with8BitPlane(.luma) { luma, lumaStride in
                picture.with8BitPlane(.cb) { cb, cbStride in
                    picture.with8BitPlane(.cr) { cr, crStride in
                        reduce(grid, luma, lumaStride, cb, cbStride, cr, crStride)
                    }
                }
            }
        } else {
            picture.with16BitPlane(.luma) { luma, lumaStride in
                picture.with16BitPlane(.cb) { cb, cbStride in
                    picture.with16BitPlane(.cr) { cr, crStride in
                        reduce(grid, luma, lumaStride, cb, cbStride, cr, crStride)
                    }
                }
            }
        }
    }

    @inline(__always)
    private mutating func reduce<Sample: FixedWidthInteger & UnsignedInteger>(
        _ grid: BoxGrid, _ luma: Span<Sample>, _ lumaStride: Int,
        _ cb: Span<Sample>, _ cbStride: Int, _ cr: Span<Sample>, _ crStride: Int
    ) {
        let format = grid.format
        let conversion = RGBConversion(format)
        let firstX = grid.columns.lowerBound * grid.boxWidth
        let endX = min(grid.columns.upperBound * grid.boxWidth, format.width)
        let shiftX = format.chroma.shiftX, shiftY = format.chroma.shiftY
        let firstChromaX = firstX >> shiftX, endChromaX = (endX - 1) >> shiftX + 1
        for row in grid.rows {
            let firstY = row * grid.boxHeight
            let endY = min(firstY + grid.boxHeight, format.height)
            Self.sumRows(
                luma, lumaStride, into: &lumaSums, columns: firstX..<endX,
                rows: firstY..<endY, shift: 0)
            let chromaColumns = firstChromaX..<endChromaX
            Self.sumRows(
                cb, cbStride, into: &cbSums, columns: chromaColumns,
                rows: firstY..<endY, shift: shiftY)
            Self.sumRows(
                cr, crStride, into: &crSums, columns: chromaColumns,
                rows: firstY..<endY, shift: shiftY)
            Self.convertRow(
                lumaSums, cbSums, crSums, into: &boxes,
                at: (row - grid.rows.lowerBound) * grid.columns.count, grid, conversion, firstX: firstX, endX: endX, rows: endY - firstY, shiftX: shiftX)
        }
    }

    /// Adds rows of a plane into `sums`. `rows` counts luma rows, each of
    /// which adds the plane's row that it shares.
    @inline(__always)
    private static func sumRows<Sample: FixedWidthInteger & UnsignedInteger>(
        _ samples: Span<Sample>, _ stride: Int, into sums: inout [UInt32],
        columns: Range<Int>, rows: Range<Int>, shift: Int
    ) {
        let count = columns.count
        if sums.count < count { sums = [UInt32](repeating: 0, count: count) }
        var sum = sums.mutableSpan
        let first = rows.lowerBound >> shift, last = (rows.upperBound - 1) >> shift
        for y in first...last {
            let start = y * stride + columns.lowerBound
            let line = samples.extracting(start..<(start + count))
            let weight = UInt32(
                min(rows.upperBound, (y + 1) << shift) - max(rows.lowerBound, y << shift))
            if y == first {
                for x in 0..<count { sum[x] = UInt32(truncatingIfNeeded: line[x]) &* weight }
            } else {
                for x in 0..<count { sum[x] &+= UInt32(truncatingIfNeeded: line[x]) &* weight }
            }
        }
    }

    /// Averages the sums across and converts them into one row of `boxes`.
    @inline(__always)
    private static func convertRow(
        _ lumaSums: [UInt32], _ cbSums: [UInt32], _ crSums: [UInt32],
        into boxes: inout [SIMD4<Float>], at offset: Int, _ grid: BoxGrid, _ conversion: RGBConversion, firstX: Int, endX: Int,
        rows: Int, shiftX: Int
    ) {
        let luma = lumaSums.span, cb = cbSums.span, cr = crSums.span
        var target = boxes.mutableSpan
        let firstChromaX = firstX >> shiftX
        let count = grid.columns.count
        if grid.boxWidth == 1 {
            let scale = 1 / Float(rows)
            for column in 0..<count {
                let chroma = (firstX &+ column) >> shiftX &- firstChromaX
                target[offset &+ column] = conversion.rgb(
                    Float(luma[column]) * scale, Float(cb[chroma]) * scale, Float(cr[chroma]) * scale)
            }
            return
        }
        var x = firstX
        for column in 0..<count {
            let end = min(x &+ grid.boxWidth, endX)
            let scale = 1 / Float((end &- x) &* rows)
            var y: UInt32 = 0, u: UInt32 = 0, v: UInt32 = 0
            while x < end {
                y &+= luma[x &- firstX]
                let chroma = x >> shiftX &- firstChromaX
                u &+= cb[chroma]
                v &+= cr[chroma]
                x &+= 1
            }
            target[offset &+ column] = conversion.rgb(
                Float(y) * scale, Float(u) * scale, Float(v) * scale)
        }
    }
}

/// Y′CbCr codes to R′G′B′ 0…1, as ITU-T H.273 (8.3, equations for matrix coefficients) has it.
struct RGBConversion {
    private let lumaOffset: Float, lumaScale: Float
    private let chromaOffset: Float
    private let red: Float, greenFromCb: Float, greenFromCr: Float, blue: Float

    init(_ format: PictureFormat) {
        let step = Double(1 << (format.bitDepth - 8))
        let most = Double(1 << format.bitDepth) - 1
        let limited = format.range == .limited
        let chromaScale = 1 / (limited ? 224 * step : most)
        let kr = format.matrix.kr, kb = format.matrix.kb, kg = 1 - kr - kb
        lumaOffset = Float(limited ? 16 * step : 0)
        lumaScale = Float(1 / (limited ? 219 * step : most))
        chromaOffset = Float(128 * step)
        red = Float(2 * (1 - kr) * chromaScale)
        blue = Float(2 * (1 - kb) * chromaScale)
        greenFromCb = Float(-2 * (1 - kb) * kb / kg * chromaScale)
        greenFromCr = Float(-2 * (1 - kr) * kr / kg * chromaScale)
    }

    @inline(__always)
    func rgb(_ y: Float, _ cb: Float, _ cr: Float) -> SIMD4<Float> {
        let luma = (y - lumaOffset) * lumaScale
        let u = cb - chromaOffset, v = cr - chromaOffset
        let value = SIMD4<Float>(
            luma + red * v, luma + greenFromCb * u + greenFromCr * v, luma + blue * u, 0)
        return value.clamped(lowerBound: .zero, upperBound: .one)
    }
}
