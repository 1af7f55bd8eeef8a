/// The pixels of a band that people cover, computed once for all commands on the band. Each ``BandBrush`` owns one, and
/// refills it for each band.
final class BandPeople {
    private typealias Interval = (kind: BandMask.Kind, pixels: Range<Int>)

    private var intervals: [Interval] = []
    /// The index of each row's first range, and at the end the number of ranges.
    private var starts: [Int] = []
    /// The room's share of each pixel at an edge: the part that people do not cover, 0…65535.
    private let room: BandPlane
    private let stride: Int
    /// The number of rows of pixels with the same ranges and shares, 1 or 2.
    private(set) var sharedRows = 1
    /// The wide ranges that people hide, and the index of each row's first range. A range consists of its first pixel
    /// and the pixel after its last.
    private let hidden, hiddenStarts: BandPlane
    /// For each block of the band, 1 if people hide all of it.
    private(set) var hiddenBlocks: [UInt8]
    /// The minimum width in pixels of a hidden range that drawing skips. Skipping narrower ranges costs more than it
    /// saves.
    private static let minimumGap = 32

    init(stride: Int) {
        self.stride = stride
        room = BandPlane(count: stride * BandGrid.bandHeight)
        hidden = BandPlane(count: 2 * (stride / Self.minimumGap + 1) * BandGrid.bandHeight)
        hiddenStarts = BandPlane(count: BandGrid.bandHeight + 1)
        hiddenBlocks = [UInt8](repeating: 0, count: stride / BandGrid.blockWidth)
    }

    /// Finds the people in a band, whose rows in the picture are given.
    func find(in mask: BandMask, _ rows: Range<Int>) {
        var intervals: [Interval] = [], starts: [Int] = []
        swap(&intervals, &self.intervals)
        swap(&starts, &self.starts)
        intervals.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        sharedRows = mask.sharedRows
        for y in Swift.stride(from: rows.lowerBound, to: rows.upperBound, by: sharedRows) {
            starts.append(intervals.count)
            var row = unsafe room.mutableBuffer(from: (y - rows.lowerBound) * stride, mask.storedWidth).mutableSpan
            mask.forEachInterval(inRow: y, of: 0..<mask.storedWidth) { kind, pixels in
                intervals.append((kind, pixels))
                if kind == .edge { mask.fillRoom(&row, y: y, pixels: pixels) }
            }
        }
        starts.append(intervals.count)
        swap(&intervals, &self.intervals)
        swap(&starts, &self.starts)
        findHidden(self.intervals, self.starts)
    }

    /// Collects the hidden ranges of each row.
    private func findHidden(_ intervals: [Interval], _ starts: [Int]) {
        var blocks: [UInt8] = []
        swap(&blocks, &hiddenBlocks)
        for block in blocks.indices { blocks[block] = 1 }
        var count = 0
        func close(_ range: Range<Int>) {
            // Ranges are stored as 16-bit samples, so in a very wide picture, hidden pixels beyond are drawn
            // needlessly.
            guard range.count >= Self.minimumGap, range.upperBound <= UInt16.max else { return }
            hidden[count] = UInt16(range.lowerBound)
            hidden[count + 1] = UInt16(range.upperBound)
            count += 2
        }
        for row in 0..<starts.count - 1 {
            let first = count
            hiddenStarts[row] = UInt16(first)
            var open = 0..<0
            for index in starts[row]..<starts[row + 1] {
                let (kind, pixels) = intervals[index]
                if kind == .person || kind == .rim {
                    open = (open.isEmpty ? pixels.lowerBound : open.lowerBound)..<pixels.upperBound
                } else {
                    close(open)
                    open = 0..<0
                }
            }
            close(open)
            keep(&blocks, hiddenFrom: first, to: count)
        }
        hiddenStarts[starts.count - 1] = UInt16(count)
        swap(&blocks, &hiddenBlocks)
    }

    /// Unmarks the blocks that are not wholly within the hidden ranges of a row.
    private func keep(_ blocks: inout [UInt8], hiddenFrom first: Int, to end: Int) {
        var block = 0
        for index in Swift.stride(from: first, to: end, by: 2) {
            let next = (Int(hidden[index]) + BandGrid.blockWidth - 1) / BandGrid.blockWidth
            while block < next {
                blocks[block] = 0
                block += 1
            }
            block = max(block, Int(hidden[index + 1]) / BandGrid.blockWidth)
        }
        while block < blocks.count {
            blocks[block] = 0
            block += 1
        }
    }

    /// Calls `body`, from left to right, for the parts of the band's row `y` that must be drawn.
    /// - Parameter gaps: Whether wide hidden ranges are omitted.
    @inline(__always)
    func forEachPart(
        inRow y: Int, of pixels: Range<Int>, leavingGaps gaps: Bool, _ body: (_ pixels: Range<Int>) -> Void
    ) {
        guard gaps else { return body(pixels) }
        let row = y / sharedRows
        var start = pixels.lowerBound
        for index in Swift.stride(from: Int(hiddenStarts[row]), to: Int(hiddenStarts[row + 1]), by: 2) {
            let (first, end) = (Int(hidden[index]), Int(hidden[index + 1]))
            if end <= start { continue }
            if first >= pixels.upperBound { break }
            if first > start { body(start..<first) }
            start = end
        }
        if start < pixels.upperBound { body(start..<pixels.upperBound) }
    }

    /// Returns the row of the band that holds the ranges of row `y`.
    func row(for y: Int) -> Int { sharedRows == 2 ? y & ~1 : y }

    /// Calls `body` for the ranges of the band's row `y` from left to right.
    @inline(__always)
    func forEachInterval(
        inRow y: Int, of pixels: Range<Int>, _ body: (_ kind: BandMask.Kind, _ pixels: Range<Int>) -> Void
    ) {
        let index = y / sharedRows
        let (intervals, range) = (self.intervals, starts[index]..<starts[index + 1])
        for index in range {
            let interval = intervals[index]
            let part = interval.pixels.clamped(to: pixels)
            if !part.isEmpty { body(interval.kind, part) }
        }
    }

    /// Returns a view of the room's shares of the band's row `y`. Only shares at edges are filled in.
    func room(inRow y: Int, _ pixels: Range<Int>) -> UnsafeBufferPointer<UInt16> {
        unsafe room.buffer(from: row(for: y) * stride + pixels.lowerBound, pixels.count)
    }

    /// Copies the room's shares of the band's row `y` for every pixel, or for every second one (`shift` 1).
    func fill(_ target: borrowing BandPlane, inRow y: Int, from pixel: Int, shift: Int, _ count: Int) {
        BandRows.every(room, row(for: y) * stride + pixel, shift, into: target, count)
    }
}
