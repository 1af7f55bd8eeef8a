import Raster

/// A Y′CbCr colour in codes of 8 bits.
struct FlatColour: Sendable, Hashable {
    var luma: UInt8
    var cb: UInt8
    var cr: UInt8

    /// Returns the largest difference of a component.
    func distance(to other: FlatColour) -> Int {
        max(
            abs(Int(luma) - Int(other.luma)),
            max(abs(Int(cb) - Int(other.cb)), abs(Int(cr) - Int(other.cr))))
    }
}

/// Samples of a picture in which gutters are searched: all columns of some rows, and all rows of some columns.
/// ``LayoutDetector`` makes them five times a second.
///
/// Sampled rows show vertical lines to the pixel, and sampled columns show horizontal lines. Samples have 8 bits.
struct SparseSamples: Sendable {
    /// Samples of one plane along lines. Line `i` has `length` samples from `values[i * length]` on.
    struct Lines: Sendable {
        var length = 0
        var values: [UInt8] = []

        /// Makes room for `count` lines of a length.
        fileprivate mutating func resize(_ length: Int, _ count: Int) {
            self.length = length
            if values.count != length * count { values = [UInt8](repeating: 0, count: length * count) }
        }
    }

    /// The luma samples and the subsampled ones of both chroma planes along a set of lines.
    struct LineSet: Sendable {
        /// The positions of the lines in luma samples.
        var positions: [Int] = []
        var luma = Lines(), cb = Lines(), cr = Lines()
        /// 1 for each luma sample that kept its value over the last pictures that were sampled, 0 for other luma
        /// samples; empty if no earlier picture was sampled.
        var isStable: [UInt8] = []
        /// The binary logarithm of the number of luma samples for each chroma sample along a line.
        var chromaShift = 0
    }

    let width: Int
    let height: Int
    /// Some rows, each with all columns.
    private(set) var rows = LineSet()
    /// Some columns, each with all rows.
    private(set) var columns = LineSet()

    /// The number of rows, and of columns, that are sampled in a large picture.
    private static let rowCount = 120, columnCount = 160

    init(_ picture: borrowing Picture) {
        let format = picture.format
        (width, height) = (format.width, format.height)
        rows.positions = Self.positions(height, Self.rowCount)
        columns.positions = Self.positions(width, Self.columnCount)
        (rows.chromaShift, columns.chromaShift) = (format.chroma.shiftX, format.chroma.shiftY)
        load(picture)
    }

    /// Samples a picture, and reuses the memory of samples that are no longer needed if they have the same size.
    init(_ picture: borrowing Picture, reusing spare: consuming SparseSamples?) {
        let format = picture.format
        guard var spare = consume spare, spare.width == format.width, spare.height == format.height,
            spare.rows.chromaShift == format.chroma.shiftX, spare.columns.chromaShift == format.chroma.shiftY
        else {
            self.init(picture)
            return
        }
        spare.load(picture)
        self = spare
    }

    private mutating func load(_ picture: borrowing Picture) {
        for plane in Plane.allCases {
            switch plane {
            case .luma: Self.read(picture, plane, rows.positions, columns.positions, &rows.luma, &columns.luma)
            case .cb: Self.read(picture, plane, rows.positions, columns.positions, &rows.cb, &columns.cb)
            case .cr: Self.read(picture, plane, rows.positions, columns.positions, &rows.cr, &columns.cr)
            }
        }
    }

    private static func positions(_ length: Int, _ count: Int) -> [Int] {
        let step = max(2, length / count)
        return Array(stride(from: step / 2, to: length, by: step))
    }

    private static func read(
        _ picture: borrowing Picture, _ plane: Plane, _ rows: [Int], _ columns: [Int], _ across: inout Lines,
        _ down: inout Lines
    ) {
        let format = picture.format
        let width = format.width(of: plane), height = format.height(of: plane)
        let shiftX = plane == .luma ? 0 : format.chroma.shiftX
        let shiftY = plane == .luma ? 0 : format.chroma.shiftY
        let wantedRows = rows.map { min($0 >> shiftY, height - 1) }
        let wantedColumns = columns.map { min($0 >> shiftX, width - 1) }
        if format.bitDepth == 8 {
            picture.with8BitPlane(plane) { samples, stride in
                copy(samples, stride, width, height, wantedRows, wantedColumns, depthShift: 0, &across, &down)
            }
        } else {
            picture.with16BitPlane(plane) { samples, stride in
                copy(
                    samples, stride, width, height, wantedRows, wantedColumns, depthShift: format.bitDepth - 8, &across,
                    &down)
            }
        }
    }

    @inline(__always)
    private static func copy<Sample: FixedWidthInteger & UnsignedInteger>(
        _ samples: Span<Sample>, _ stride: Int, _ width: Int, _ height: Int, _ rows: [Int], _ columns: [Int],
        depthShift: Int, _ across: inout Lines, _ down: inout Lines
    ) {
        across.resize(width, rows.count)
        down.resize(height, columns.count)
        var to = across.values.mutableSpan
        for (index, y) in rows.enumerated() {
            let line = samples.extracting(y * stride..<y * stride + width)
            let start = index * width
            precondition(start + width <= to.count)
            for x in 0..<width {
                // `line` has `width` samples, and the result has room for them.
                unsafe to[unchecked: start &+ x] = UInt8(
                    truncatingIfNeeded: line[unchecked: x] >> Sample(depthShift))
            }
        }
        var columnsTo = down.values.mutableSpan
        let from = columns.span, count = columns.count
        precondition(columns.allSatisfy { (0..<width).contains($0) })
        for y in 0..<height {
            let line = samples.extracting(y * stride..<y * stride + width)
            for index in 0..<count {
                // Columns are within lines; `y` is less than `height`.
                unsafe columnsTo[unchecked: index &* height &+ y] = UInt8(
                    truncatingIfNeeded: line[unchecked: from[unchecked: index]] >> Sample(depthShift))
            }
        }
    }

    /// Returns the samples with flags for those that kept their values since earlier samples of the same size.
    ///
    /// - Parameter flags: memory for the result.
    func stable(since earlier: [SparseSamples], reusing flags: inout StableFlags) -> SparseSamples {
        var result = self
        result.rows.isStable = Self.stable(rows, earlier.map(\.rows), &flags.rows)
        result.columns.isStable = Self.stable(columns, earlier.map(\.columns), &flags.columns)
        return result
    }

    /// Memory for the flags of samples that kept their values.
    struct StableFlags: Sendable {
        fileprivate var rows: [UInt8] = [], columns: [UInt8] = []

        init() {}

        init(of samples: SparseSamples) { (rows, columns) = (samples.rows.isStable, samples.columns.isStable) }
    }

    /// The maximum change of a sample that compression causes in a flat part.
    private static let noise: UInt8 = 6

    private static func stable(_ set: LineSet, _ earlier: [LineSet], _ memory: inout [UInt8]) -> [UInt8] {
        let count = set.luma.values.count
        var result: [UInt8] = []
        swap(&result, &memory)
        if result.count != count { result = [UInt8](repeating: 1, count: count) }
        var to = result.mutableSpan
        for index in 0..<count { unsafe to[unchecked: index] = 1 }
        for before in earlier where before.luma.values.count == count {
            let now = set.luma.values.span, then = before.luma.values.span
            for index in 0..<count {
                // `now`, `then` and `to` have `count` elements.
                let a = unsafe now[unchecked: index], b = unsafe then[unchecked: index]
                unsafe to[unchecked: index] &= max(a, b) &- min(a, b) <= noise ? 1 : 0
            }
        }
        return result
    }

    /// Returns the colour of the sampled row with an index, at a column of the picture.
    func colour(row index: Int, column: Int) -> FlatColour { Self.colour(rows, index, column) }

    /// Returns the colour of the sampled column with an index, at a row of the picture.
    func colour(column index: Int, row: Int) -> FlatColour { Self.colour(columns, index, row) }

    private static func colour(_ set: LineSet, _ line: Int, _ position: Int) -> FlatColour {
        let chroma = position >> set.chromaShift
        return FlatColour(
            luma: set.luma.values[line * set.luma.length + position],
            cb: set.cb.values[line * set.cb.length + min(chroma, set.cb.length - 1)],
            cr: set.cr.values[line * set.cr.length + min(chroma, set.cr.length - 1)])
    }
}
