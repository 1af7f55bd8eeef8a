/// The inner edge of a mask: strongest at the outline, gone a few samples further in.
struct MaskRim: Sendable, Hashable {
    /// How many samples wide it is, about.
    private static let radius = 3

    private let columns, rows: Int
    private(set) var values: [UInt8]
    /// Sums of neighbours along the rows, and a row with its border repeated.
    private var sums: [UInt16]
    private var padded: [UInt16]

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        values = [UInt8](repeating: 0, count: columns * rows)
        sums = [UInt16](repeating: 0, count: columns * rows)
        padded = [UInt16](repeating: 0, count: columns + 2 * Self.radius)
    }

    /// Finds the rim of a mask with samples from 0 (room) to 255 (person).
    mutating func find(in samples: [UInt8]) {
        Self.sumAlong(samples, columns, &padded, into: &sums)
        Self.findRim(samples, sums, columns, &padded, into: &values)
    }

    private static func sumAlong(
        _ samples: [UInt8], _ columns: Int, _ padded: inout [UInt16], into sums: inout [UInt16]
    ) {
        let samples = samples.span
        var padded = padded.mutableSpan, sums = sums.mutableSpan
        for start in stride(from: 0, to: samples.count, by: columns) {
            for x in 0..<padded.count {
                padded[x] = UInt16(samples[start + min(max(x - radius, 0), columns - 1)])
            }
            var row = sums._mutatingExtracting(start..<start + columns)
            for x in 0..<columns { row[x] = padded[x] }
            for shift in 1...2 * radius {
                let shifted = padded.span.extracting(shift..<shift + columns)
                for x in 0..<columns { row[x] &+= shifted[x] }
            }
        }
    }

    private static func findRim(
        _ samples: [UInt8], _ sums: [UInt16], _ columns: Int, _ total: inout [UInt16],
        into values: inout [UInt8]
    ) {
        let samples = samples.span, sums = sums.span
        var total = total.mutableSpan, values = values.mutableSpan
        let rows = samples.count / columns
        // A place whose neighbours are half room has all of the light: sums of squares of 49
        // samples, of which the room's part is doubled and brought to 16 bits.
        let whole = UInt16((2 * radius + 1) * (2 * radius + 1) * 255)
        let scale = UInt16(2 * 255 * 65536 / Int(whole) / 256)
        for y in 0..<rows {
            for x in 0..<columns { total[x] = whole }
            for shift in -radius...radius {
                let start = min(max(y + shift, 0), rows - 1) * columns
                let row = sums.extracting(start..<start + columns)
                for x in 0..<columns { total[x] &-= row[x] }
            }
            let own = samples.extracting(y * columns..<(y + 1) * columns)
            var rim = values._mutatingExtracting(y * columns..<(y + 1) * columns)
            for x in 0..<columns {
                let room = TileRows.high(total[x] &<< 2, scale &<< 6)
                rim[x] = UInt8(truncatingIfNeeded: (min(room, 255) &* UInt16(own[x])) &>> 8)
            }
        }
    }
}
