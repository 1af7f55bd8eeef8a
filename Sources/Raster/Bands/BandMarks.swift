/// The cells of a band that have been drawn on. A cell is 16 pixels of one row. Only marked cells are blended and
/// cleared.
///
/// Pieces of confetti and drops of rain are small: processing empty cells would cost more than drawing the pieces.
struct BandMarks {
    /// The binary logarithm of a cell's width in pixels. The kernels process a cell at once.
    private static let shift = 4

    private let wordsPerRow: Int
    private let width: Int
    /// A bit for each cell.
    private var words: [UInt64]
    /// True if no cell is marked.
    private(set) var isEmpty = true

    /// - Parameter width: The width of the rows in pixels, a multiple of a cell's width.
    init(width: Int) {
        self.width = width
        wordsPerRow = (width >> Self.shift + 63) / 64
        words = [UInt64](repeating: 0, count: wordsPerRow * BandGrid.bandHeight)
    }

    /// Marks the cells of pixels of a row.
    /// - Precondition: `columns` is not empty.
    @inline(__always)
    mutating func mark(_ columns: Range<Int>, inRow y: Int) {
        isEmpty = false
        let first = columns.lowerBound >> Self.shift, last = (columns.upperBound - 1) >> Self.shift
        for word in first >> 6...last >> 6 {
            words[y * wordsPerRow + word] |= Self.bits(from: first, through: last, ofWord: word)
        }
    }

    /// Marks the cells of pixels in all rows.
    mutating func mark(_ columns: Range<Int>) {
        for y in 0..<BandGrid.bandHeight { mark(columns, inRow: y) }
    }

    /// Returns whether some cell of these pixels is marked.
    func contains(_ columns: Range<Int>, inRow y: Int) -> Bool {
        let first = columns.lowerBound >> Self.shift, last = (columns.upperBound - 1) >> Self.shift
        for word in first >> 6...last >> 6
        where words[y * wordsPerRow + word] & Self.bits(from: first, through: last, ofWord: word) != 0 { return true }
        return false
    }

    @inline(__always)
    private static func bits(from first: Int, through last: Int, ofWord word: Int) -> UInt64 {
        let low = max(first - word << 6, 0), high = min(last - word << 6, 63)
        return ~0 << UInt64(low) & ~0 >> UInt64(63 - high)
    }

    /// Calls `body` for runs of marked cells, in pixels from left to right. A cell counts if it is marked in any of
    /// `count` rows from `y` on.
    @inline(__always)
    func forEachRun(inRow y: Int, count: Int = 1, _ body: (Range<Int>) -> Void) {
        // The run that reaches the end of the previous word.
        var open: Int?
        for word in 0..<wordsPerRow {
            var bits = words[y * wordsPerRow + word]
            for row in 1..<max(count, 1) { bits |= words[(y + row) * wordsPerRow + word] }
            var place = 0
            while true {
                if open == nil {
                    place += bits.trailingZeroBitCount
                    if place >= 64 { break }
                    bits >>= UInt64(bits.trailingZeroBitCount)
                    open = word << 6 + place
                }
                let ones = (~bits).trailingZeroBitCount
                place += ones
                if place >= 64 { break }
                bits = bits >> UInt64(ones)
                body(open! << Self.shift..<(word << 6 + place) << Self.shift)
                open = nil
            }
        }
        if let open { body(open << Self.shift..<width) }
    }

    /// Returns the pixels from a row's first marked cell through its last; empty if there is none.
    func bounds(inRow y: Int) -> Range<Int> {
        var low = Int.max, high = 0
        for word in 0..<wordsPerRow {
            let bits = words[y * wordsPerRow + word]
            if bits == 0 { continue }
            low = min(low, word << 6 + bits.trailingZeroBitCount)
            high = word << 6 + 64 - bits.leadingZeroBitCount
        }
        return low < high ? low << Self.shift..<high << Self.shift : 0..<0
    }

    /// Clears all marks.
    mutating func clear() {
        if isEmpty { return }
        isEmpty = true
        for index in words.indices { words[index] = 0 }
    }
}
