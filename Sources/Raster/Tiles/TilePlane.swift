/// The memory of one channel of a canvas. It has a fixed size, begins with zeros, and is freed with its owner.
///
/// Rows are returned as checked ranges, with one check for each row. The kernels then run without a check for each
/// sample.
@safe
struct TilePlane: ~Copyable {
    /// The number of samples beyond the end that kernels may access when they round a row up.
    static let slack = 32

    private let base: UnsafeMutablePointer<UInt16>
    let count: Int

    init(count: Int) {
        unsafe base = .allocate(capacity: count + Self.slack)
        unsafe base.initialize(repeating: 0, count: count + Self.slack)
        self.count = count
    }

    deinit { unsafe base.deallocate() }

    /// Returns the address of `length` samples from `start` on.
    /// - Precondition: The samples are within the plane or its slack.
    @inline(__always)
    @unsafe func samples(from start: Int, _ length: Int) -> UnsafeMutablePointer<UInt16> {
        precondition(start >= 0 && length >= 0 && start + length <= count + Self.slack)
        return unsafe base + start
    }

    /// Returns the samples from `start` on for reading.
    @inline(__always)
    @unsafe func buffer(from start: Int, _ length: Int) -> UnsafeBufferPointer<UInt16> {
        unsafe UnsafeBufferPointer(start: samples(from: start, length), count: length)
    }

    /// Returns the samples from `start` on for writing.
    @inline(__always)
    @unsafe func mutableBuffer(from start: Int, _ length: Int) -> UnsafeMutableBufferPointer<UInt16> {
        unsafe UnsafeMutableBufferPointer(start: samples(from: start, length), count: length)
    }

    subscript(index: Int) -> UInt16 {
        get {
            precondition(index >= 0 && index < count)
            return unsafe base[index]
        }
        nonmutating set {
            precondition(index >= 0 && index < count)
            unsafe base[index] = newValue
        }
    }

    func clear(from start: Int, _ length: Int) {
        unsafe samples(from: start, length).update(repeating: 0, count: length)
    }
}

/// The cells of a band that are not empty: 16 pixels of one row each.
///
/// Pieces of confetti and drops of rain are small: processing empty cells would cost more than the pieces.
struct TileMarks {
    /// The number of pixels of a cell, as a shift. The kernels process that many pixels at once.
    private static let shift = 4

    private let wordsPerRow: Int
    private let width: Int
    /// A bit for each cell.
    private var words: [UInt64]
    /// A Boolean value that indicates whether no cell is marked.
    private(set) var isEmpty = true

    /// - Parameter width: The width of the rows in pixels: whole cells.
    init(width: Int) {
        self.width = width
        wordsPerRow = (width >> Self.shift + 63) / 64
        words = [UInt64](repeating: 0, count: wordsPerRow * TileGrid.tileHeight)
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
        for y in 0..<TileGrid.tileHeight { mark(columns, inRow: y) }
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

/// A colour for ``TileCanvas``: premultiplied, in steps of 1 / ``TileGrid/one``.
///
/// Alpha is the hidden share of the background. Colour without alpha is light: it adds and hides nothing. Any mixture
/// is allowed, such as a glow that also veils a little, and is therefore visible in front of a white wall.
package struct TileColour: Sendable, Hashable {
    package var red, green, blue, alpha: UInt16
    private let opacity: Double

    /// - Parameters:
    ///   - red, green, blue: Non-linear (gamma-coded) components, 0…1, not premultiplied.
    ///   - opacity: 0…1.
    ///   - light: 0 for matter, which hides its ground; 1 for pure light.
    package init(red: Double, green: Double, blue: Double, opacity: Double, light: Double = 0) {
        func fixed(_ x: Double) -> UInt16 {
            UInt16((min(max(x, 0), 1) * Double(TileGrid.one)).rounded())
        }
        self.opacity = min(max(opacity, 0), 1)
        self.red = fixed(red * opacity)
        self.green = fixed(green * opacity)
        self.blue = fixed(blue * opacity)
        alpha = fixed(opacity * (1 - light))
    }

    /// Returns the colour in the encoding of a canvas.
    func encoded(by encoding: ColourEncoding) -> TileColour {
        if encoding.isStandard || opacity <= 0 { return self }
        let one = Double(TileGrid.one) * opacity
        let code = encoding.encode(
            red: min(Double(red) / one, 1), green: min(Double(green) / one, 1),
            blue: min(Double(blue) / one, 1))
        var colour = TileColour(red: code.red, green: code.green, blue: code.blue, opacity: opacity)
        colour.alpha = alpha
        return colour
    }
}

/// The constants shared by all parts of a ``TileCanvas``.
package enum TileGrid {
    /// The sample value that represents 1.
    package static let one: UInt16 = 1 << 14
    /// The size of a tile, in pixels.
    package static let tileWidth = 32
    package static let tileHeight = 16
    /// The pixels from one coarse sample to the next.
    static let coarseStep = 4
}
