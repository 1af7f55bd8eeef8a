/// The sampling positions of a tensor row's pixels in a plane of box averages, and the sampling itself.
/// ``TensorResampler`` creates one for each row and plane.
///
/// A position is a fixed-point number of boxes, counted from the first box that is used. Centres of boxes are whole
/// numbers.
struct BilinearRow {
    private let startX: Int, startY: Int, stepX: Int, stepY: Int
    private let columns: Int, rows: Int
    /// The positions of the plane's edges.
    private let left: Int, top: Int, right: Int, bottom: Int

    /// The fractional bits: the number of bits in the significand of single precision.
    private static let bits = 24
    private static let unit = 1 / Float(1 << bits)
    /// The limit of positions, in boxes. No tensor that shows part of a picture reaches it.
    private static let farthest = 1e9

    init(_ grid: BoxGrid, y: Int) {
        func fixed(_ position: Double) -> Int {
            Int(max(-Self.farthest, min(Self.farthest, position)) * Double(1 << Self.bits))
        }
        let map = grid.fromTensor
        let start = map.apply(x: 0.5, y: Double(y) + 0.5)
        let firstColumn = Double(grid.columns.lowerBound), firstRow = Double(grid.rows.lowerBound)
        startX = fixed(start.x - firstColumn - 0.5)
        startY = fixed(start.y - firstRow - 0.5)
        stepX = fixed(map.a)
        stepY = fixed(map.b)
        columns = grid.columns.count
        rows = grid.rows.count
        left = fixed(-firstColumn - 0.5)
        top = fixed(-firstRow - 0.5)
        right = fixed(Double(grid.planeWidth) / Double(grid.boxWidth) - firstColumn - 0.5)
        bottom = fixed(Double(grid.planeHeight) / Double(grid.boxHeight) - firstRow - 0.5)
    }

    /// Returns the four boxes around pixel `i` of the row. Positions outside are clamped, so all four boxes exist.
    @inline(__always)
    func tap(_ i: Int) -> BilinearTap {
        let x = max(0, min((columns &- 1) &<< Self.bits, startX &+ i &* stepX))
        let y = max(0, min((rows &- 1) &<< Self.bits, startY &+ i &* stepY))
        let x0 = x &>> Self.bits, y0 = y &>> Self.bits
        let x1 = min(x0 &+ 1, columns &- 1)
        let upper = y0 &* columns, lower = min(y0 &+ 1, rows &- 1) &* columns
        return BilinearTap(
            a: upper &+ x0, b: upper &+ x1, c: lower &+ x0, d: lower &+ x1,
            fx: Self.fraction(x), fy: Self.fraction(y))
    }

    @inline(__always)
    private static func fraction(_ position: Int) -> Float {
        Float(Int32(truncatingIfNeeded: position & (1 << bits - 1))) * unit
    }

    /// Fades a row of R′G′B′ to black beyond the picture's edges.
    func cover(_ row: inout MutableSpan<Float>) {
        for i in 0..<row.count / 3 {
            let coverage = coverage(i)
            if coverage == 1 { continue }
            for k in 0..<3 { row[3 * i + k] *= coverage }
        }
    }

    /// Returns the share of a pixel's bilinear kernel that is within the picture, 0…1.
    @inline(__always)
    private func coverage(_ i: Int) -> Float {
        let x = startX &+ i &* stepX, y = startY &+ i &* stepY
        let half = 1 << (Self.bits - 1), one = 1 << Self.bits
        let inX = max(0, min(one, min(x &- left, right &- x) &+ half))
        let inY = max(0, min(one, min(y &- top, bottom &- y) &+ half))
        return Float(inX) * Self.unit * (Float(inY) * Self.unit)
    }

    /// Reads the pixels of the row from the boxes of a plane.
    func read(_ boxes: [Float], into row: inout [Float]) {
        precondition(boxes.count >= columns * rows)
        let boxes = boxes.span
        var row = row.mutableSpan
        for i in 0..<row.count { row[i] = tap(i).value(in: boxes) }
    }

    /// Reads the pixels of the row from the boxes of two planes.
    func read(_ first: [Float], _ second: [Float], into row: inout [Float], _ other: inout [Float]) {
        precondition(min(first.count, second.count) >= columns * rows && row.count == other.count)
        let first = first.span, second = second.span
        var row = row.mutableSpan, other = other.mutableSpan
        for i in 0..<row.count {
            let tap = tap(i)
            row[i] = tap.value(in: first)
            other[i] = tap.value(in: second)
        }
    }
}

/// The indices of four neighbouring boxes, and the sampling position between them, 0…1 across and down.
struct BilinearTap {
    let a: Int, b: Int, c: Int, d: Int
    let fx: Float, fy: Float

    /// - Precondition: The boxes are those of the grid that the tap's ``BilinearRow`` was created with.
    @inline(__always)
    func value(in boxes: Span<Float>) -> Float {
        let a = unsafe boxes[unchecked: a], b = unsafe boxes[unchecked: b]
        let c = unsafe boxes[unchecked: c], d = unsafe boxes[unchecked: d]
        let above = a + (b - a) * fx
        let below = c + (d - c) * fx
        return above + (below - above) * fy
    }
}

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
