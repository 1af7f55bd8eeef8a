/// A soft mask that separates people from the room (everything else), for effects that are drawn behind people.
/// `PersonMask` of Vision makes and updates it; drawing only reads it.
///
/// The mask covers the whole picture at its own resolution. It has the orientation of the *stored* picture, so a row of
/// pixels always corresponds to a row of the mask. ``update(_:)`` finds the ranges that are entirely room or entirely
/// person, which is most of a mask. Only the remaining pixels are interpolated.
package struct BandMask: Sendable, Hashable {
    /// The size in samples, as stored.
    let columns, rows: Int
    /// 0 (room) … 255 (person), rows from top to bottom.
    private var samples: [UInt8]
    private let orientation: Orientation
    /// The picture's size in pixels.
    let storedWidth, storedHeight: Int
    /// For each column of the mask, the first pixel at or beyond the middle of the column.
    private let firstPixels: [Int]
    /// The number of pixel rows that may share one row of the mask: 2 if each row of the mask covers at least 4 rows of
    /// pixels.
    let sharedRows: Int
    /// For each column, the place of its first pixel between the column's middle (0) and the next column's (2¹⁶), and
    /// the distance to the next pixel on this scale.
    private let firstFractions: [Int]
    private let fractionStep: Int
    /// For each row of pixels, the mask's row above it, and the fraction of the way to the next mask row, 0…256.
    private let rowsAbove, rowFractions: [Int]
    /// The ranges of each pair of the mask's rows (a row and the row below), and the index of each pair's first range.
    private var intervals: [Interval] = []
    private var intervalStarts: [Int] = []

    /// The share of the light from behind that falls on each sample: a rim along people's inner edge.
    private var rim: MaskRim

    /// The kind of a range. `rim` is also entirely person, but close enough to the edge to receive light from behind.
    enum Kind: Sendable { case room, person, rim, edge }

    /// Neighbouring columns of one kind in a pair of rows. The samples of the column after the last are of that kind,
    /// too, because pixels in between are interpolated.
    private struct Interval: Sendable, Hashable {
        var kind: Kind
        var columns: Range<Int>
    }

    /// - Parameters:
    ///   - width, height: The size of the mask in *upright* orientation.
    ///   - samples: `width · height` values, 0 (room) … 255 (person), rows from top to bottom.
    ///   - geometry: The layout of the stored picture.
    /// - Precondition: `samples.count == width * height`; width and height are positive.
    package init(width: Int, height: Int, samples: [UInt8], geometry: DisplayGeometry) {
        precondition(width > 0 && height > 0 && samples.count == width * height)
        orientation = geometry.orientation
        let isSideways = orientation.quarterTurns % 2 == 1
        columns = isSideways ? height : width
        rows = isSideways ? width : height
        storedWidth = geometry.storedWidth
        storedHeight = geometry.storedHeight
        sharedRows = storedHeight >= 4 * rows ? 2 : 1
        self.samples = samples
        rim = MaskRim(columns: columns, rows: rows)
        let pace = Double(storedWidth) / Double(columns)
        firstPixels =
            (0..<columns).map { column in
                column == 0 ? 0 : min(Int(((Double(column) + 0.5) * pace - 0.5).rounded(.up)), geometry.storedWidth)
            } + [storedWidth]
        firstFractions = zip(firstPixels, 0..<columns).map { pixel, column in
            let place = (Double(pixel) + 0.5) / pace - 0.5
            return Int(((place - Double(column)) * 65536).rounded())
        }
        fractionStep = Int((65536 / pace).rounded())
        let down = Double(rows) / Double(storedHeight)
        let lastRow = Double(rows - 1)
        let places: [Double] = (0..<storedHeight).map { row in
            min(max((Double(row) + 0.5) * down - 0.5, 0), lastRow)
        }
        rowsAbove = places.map { place in Int(place) }
        rowFractions = places.map { place in Int((place - place.rounded(.down)) * 256) }
        update(samples)
    }

    /// Replaces the samples. The new samples are upright and have the same size.
    package mutating func update(_ upright: [UInt8]) {
        precondition(upright.count == samples.count)
        turn(upright)
        rim.find(in: samples)
        findIntervals()
    }

    /// Returns a sample, 0 (room) … 255 (person), in stored coordinates.
    package func value(x: Int, y: Int) -> UInt8 { samples[y * columns + x] }

    /// Returns whether a place (0…1 of the picture as stored) belongs to a person rather than to the room.
    package func isMostlyPerson(_ x: Double, _ y: Double) -> Bool {
        let column = min(max(Int(x * Double(columns)), 0), columns - 1)
        let row = min(max(Int(y * Double(rows)), 0), rows - 1)
        return samples[row * columns + column] >= 128
    }

    /// Returns whether a place (0…1 of the picture as stored) is within a person, away from the edge.
    func isWithinPerson(_ x: Double, _ y: Double) -> Bool {
        let column = Int(x * Double(columns)), row = Int(y * Double(rows))
        for y in [row - Self.margin, row, row + Self.margin] {
            for x in [column - Self.margin, column, column + Self.margin] {
                let sample = samples[min(max(y, 0), rows - 1) * columns + min(max(x, 0), columns - 1)]
                if sample < 255 { return false }
            }
        }
        return true
    }

    /// The minimum distance from the edge of a place that counts as within a person, in samples.
    private static let margin = 4

    /// Stores upright samples in the stored picture's orientation.
    private mutating func turn(_ upright: [UInt8]) {
        if orientation == .upright {
            Self.copy(upright, into: &samples)
            return
        }
        let width = orientation.quarterTurns % 2 == 1 ? rows : columns
        for row in 0..<rows {
            for column in 0..<columns {
                let x = orientation.mirrored ? columns - 1 - column : column
                let source =
                    switch orientation.quarterTurns {
                    case 1: x * width + rows - 1 - row
                    case 2: (rows - 1 - row) * width + columns - 1 - x
                    case 3: (columns - 1 - x) * width + row
                    default: row * width + x
                    }
                samples[row * columns + column] = upright[source]
            }
        }
    }

    private static func copy(_ source: [UInt8], into target: inout [UInt8]) {
        let source = source.span
        var target = target.mutableSpan
        for i in 0..<target.count { target[i] = source[i] }
    }

    private mutating func findIntervals() {
        intervals.removeAll(keepingCapacity: true)
        intervalStarts.removeAll(keepingCapacity: true)
        for row in 0..<rows {
            intervalStarts.append(intervals.count)
            Self.findIntervals(
                samples, rim.values, row * columns, min(row + 1, rows - 1) * columns, columns,
                into: &intervals)
        }
        intervalStarts.append(intervals.count)
    }

    private static func findIntervals(
        _ samples: [UInt8], _ rim: [UInt8], _ first: Int, _ second: Int, _ columns: Int,
        into intervals: inout [Interval]
    ) {
        let rim = rim.span
        let upper = samples.span.extracting(first..<first + columns)
        let lower = samples.span.extracting(second..<second + columns)
        let last = upper.count - 1
        var start = 0
        var current = Kind.edge
        for column in 0...last {
            let right = column < last ? column + 1 : last
            // Four samples of 0 have no bit set, and four samples of 255 have all bits set.
            let any = upper[column] | lower[column] | upper[right] | lower[right]
            let all = upper[column] & lower[column] & upper[right] & lower[right]
            var kind: Kind = any == 0 ? .room : all == 255 ? .person : .edge
            if kind == .person,
                rim[first + column] | rim[second + column] | rim[first + right] | rim[second + right] != 0
            {
                kind = .rim
            }
            if kind != current {
                if column > start { intervals.append(Interval(kind: current, columns: start..<column)) }
                (start, current) = (column, kind)
            }
        }
        intervals.append(Interval(kind: current, columns: start..<last + 1))
    }

    /// Calls `body` for the ranges of a row of stored pixels from left to right.
    @inline(__always)
    func forEachInterval(
        inRow y: Int, of pixels: Range<Int>, _ body: (_ kind: Kind, _ pixels: Range<Int>) -> Void
    ) {
        let pair = rowsAbove[y]
        for index in intervalStarts[pair]..<intervalStarts[pair + 1] {
            let interval = intervals[index]
            let first = max(firstPixels[interval.columns.lowerBound], pixels.lowerBound)
            let end = min(firstPixels[interval.columns.upperBound], pixels.upperBound)
            if first < end { body(interval.kind, first..<end) }
        }
    }

    /// Fills in the room's share (65535 − mask) at the pixels of a row, interpolated bilinearly.
    /// - Parameter room: Indexed like the row's pixels; only values of `pixels` are written.
    func fillRoom(_ room: inout MutableSpan<UInt16>, y: Int, pixels: Range<Int>) {
        interpolate(samples, flipped: 65535, into: &room, y: y, pixels: pixels)
    }

    /// Fills in the share of light from behind at the pixels of a row, 0…65535.
    func fillRim(_ share: inout MutableSpan<UInt16>, y: Int, pixels: Range<Int>) {
        interpolate(rim.values, flipped: 0, into: &share, y: y, pixels: pixels)
    }

    private func interpolate(
        _ samples: [UInt8], flipped: UInt16, into row: inout MutableSpan<UInt16>, y: Int, pixels: Range<Int>
    ) {
        let (first, down) = (rowsAbove[y], rowFractions[y])
        let upper = samples.span.extracting(first * columns..<(first + 1) * columns)
        let below = min(first + 1, rows - 1) * columns
        let lower = samples.span.extracting(below..<below + columns)
        func value(_ column: Int) -> Int {
            Int(upper[column]) &* (256 &- down) &+ Int(lower[column]) &* down
        }
        var column = self.column(at: pixels.lowerBound)
        var left = value(column)
        var x = pixels.lowerBound
        while x < pixels.upperBound {
            let right = value(min(column + 1, columns - 1))
            let end = min(firstPixels[column + 1], pixels.upperBound)
            var part = row._mutatingExtracting(x..<end)
            Self.ramp(
                &part, from: left, by: right &- left, flipped,
                at: firstFractions[column] &+ (x &- firstPixels[column]) &* fractionStep, step: fractionStep)
            x = end
            left = right
            column += 1
        }
    }

    /// Writes values that change linearly. Places are in shares of 2¹⁶ of a column.
    /// - Parameters:
    ///   - left: The value at place 0, 0…65280; `rise` is the difference between the values at place 2¹⁶ and at place
    ///     0.
    ///   - start: The place of the first sample; `step` is the distance of the next one. Places before 0 have the value
    ///     of place 0.
    @inline(__always)
    private static func ramp(
        _ row: inout MutableSpan<UInt16>, from left: Int, by rise: Int, _ flipped: UInt16, at start: Int, step: Int
    ) {
        // The number of samples before 0, that is, before the middle of the first column.
        let before = start < 0 ? min((step &- 1 &- start) / step, row.count) : 0
        for i in 0..<before { row[i] = UInt16(truncatingIfNeeded: left &+ left &>> 8) ^ flipped }
        // The sum has 14 bits for the value, and 16 fractional bits.
        var sum = Int32(truncatingIfNeeded: left &<< 14 &+ (rise &* (start &+ before &* step)) &>> 2)
        let slope = Int32(truncatingIfNeeded: (rise &* step) &>> 2)
        for i in before..<row.count {
            let value = sum &>> 16
            row[i] = UInt16(truncatingIfNeeded: value &<< 2 &+ value &>> 6) ^ flipped
            sum &+= slope
        }
    }

    /// Returns the mask's column at or before a pixel.
    private func column(at pixel: Int) -> Int {
        var column = min(max(pixel * columns / storedWidth - 1, 0), columns - 1)
        while column + 1 < columns, firstPixels[column + 1] <= pixel { column += 1 }
        return column
    }
}

/// The light on the inner edge of a mask: strongest at the outline, and 0 from a few samples further inside.
private struct MaskRim: Sendable, Hashable {
    /// The approximate width of the rim in samples.
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

    /// Computes the rim of a mask with samples from 0 (room) to 255 (person).
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
        // A sample has full light (255) if half of the 49 samples around it are room. So the room's part of their sum
        // is scaled to 0…510.
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
                let room = BandRows.high(total[x] &<< 2, scale &<< 6)
                rim[x] = UInt8(truncatingIfNeeded: (min(room, 255) &* UInt16(own[x])) &>> 8)
            }
        }
    }
}
