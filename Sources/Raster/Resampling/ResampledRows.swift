/// The two rows of a plane's boxes above and below a row of the tensor, resampled to the tensor's width. The two rows
/// are kept, because the tensor's next row often needs the same ones.
struct ResampledRows {
    private var taps: [(left: Int, right: Int, fraction: Float)] = []
    private var upper: [Float] = [], lower: [Float] = []
    private var upperRow = -1, lowerRow = -1
    private var columns = 0

    /// Prepares for a tensor of the given width.
    mutating func begin(_ grid: BoxGrid, width: Int) {
        let row = BilinearRow(grid, y: 0)
        taps.removeAll(keepingCapacity: true)
        for i in 0..<width {
            let tap = row.tap(i)
            taps.append((tap.a % grid.columns.count, tap.b % grid.columns.count, tap.fx))
        }
        if upper.count != width {
            upper = [Float](repeating: 0, count: width)
            lower = upper
        }
        columns = grid.columns.count
        (upperRow, lowerRow) = (-1, -1)
    }

    /// Interpolates a row of the tensor between the two rows of boxes.
    mutating func mix(_ boxes: [Float], at place: BilinearRow, into row: inout [Float]) {
        let tap = place.tap(0)
        let first = tap.a / columns, second = tap.c / columns
        if first == lowerRow {
            swap(&upper, &lower)
            swap(&upperRow, &lowerRow)
        }
        if first != upperRow {
            Self.resample(boxes, from: first * columns, taps, into: &upper)
            upperRow = first
        }
        if second != lowerRow {
            Self.resample(boxes, from: second * columns, taps, into: &lower)
            lowerRow = second
        }
        Self.mix(upper, lower, tap.fy, into: &row)
    }

    private static func resample(
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
