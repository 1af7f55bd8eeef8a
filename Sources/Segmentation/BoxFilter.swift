/// Replaces each value of a grid by the mean of the square around it. Beyond the edges, the border's values are
/// repeated. Filters of masks own one each, with its buffers.
struct BoxFilter: Sendable {
    let width, height, radius: Int
    /// A row with its border repeated on both sides.
    private var padded: [Float]
    /// For each column, the running sum over the rows of the current square.
    private var sums: [Float]
    /// For each value, the sum over its neighbours in the same row.
    private var rows: [Float]

    init(width: Int, height: Int, radius: Int) {
        self.width = width
        self.height = height
        self.radius = radius
        padded = [Float](repeating: 0, count: width + 2 * radius)
        sums = [Float](repeating: 0, count: width)
        rows = [Float](repeating: 0, count: width * height)
    }

    /// Replaces each value by the mean of the square around it.
    /// - Complexity: O(width · height · radius).
    mutating func smooth(_ values: inout [Float]) {
        precondition(values.count == width * height)
        Self.sumAlong(values, width: width, radius: radius, &padded, into: &rows)
        Self.sumDown(rows, width: width, radius: radius, &sums, into: &values)
    }

    /// Sums each value of a row with its neighbours.
    private static func sumAlong(
        _ values: [Float], width: Int, radius: Int, _ padded: inout [Float], into rows: inout [Float]
    ) {
        let values = values.span
        var padded = padded.mutableSpan
        var rows = rows.mutableSpan
        for start in stride(from: 0, to: values.count, by: width) {
            for x in 0..<radius {
                padded[x] = values[start]
                padded[radius + width + x] = values[start + width - 1]
            }
            for x in 0..<width { padded[radius + x] = values[start + x] }
            var row = rows._mutatingExtracting(start..<start + width)
            for x in 0..<width { row[x] = padded[x] }
            for shift in 1...2 * radius {
                let shifted = padded.span.extracting(shift..<shift + width)
                for x in 0..<width { row[x] += shifted[x] }
            }
        }
    }

    /// Sums neighbouring rows and divides by the square's area.
    private static func sumDown(
        _ rows: [Float], width: Int, radius: Int, _ sums: inout [Float], into values: inout [Float]
    ) {
        let rows = rows.span
        var values = values.mutableSpan
        var sums = sums.mutableSpan
        let height = values.count / width
        func row(_ y: Int) -> Range<Int> {
            let start = min(max(y, 0), height - 1) * width
            return start..<start + width
        }
        for x in 0..<width { sums[x] = 0 }
        for y in -radius..<radius {
            let entering = rows.extracting(row(y))
            for x in 0..<width { sums[x] += entering[x] }
        }
        let side = Float(2 * radius + 1)
        let scale = 1 / (side * side)
        for y in 0..<height {
            let entering = rows.extracting(row(y + radius))
            let leaving = rows.extracting(row(y - radius))
            var target = values._mutatingExtracting(row(y))
            for x in 0..<width {
                let sum = sums[x] + entering[x]
                target[x] = sum * scale
                sums[x] = sum - leaving[x]
            }
        }
    }
}
