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
            // 257 · 255 is the greatest sum that 16 bits hold, and they add twice as quickly.
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

    /// Averages sums of columns into one row of boxes; the last box may be cut.
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
