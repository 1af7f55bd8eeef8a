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

/// Samples of a picture: all columns of some rows, and all rows of some columns.
///
/// Vertical lines are found to the pixel in the first set, horizontal ones in the second. Samples have 8 bits.
struct SparseSamples: Sendable {
    /// Samples of one plane along lines. Line `i` has `length` samples from `values[i * length]` on.
    struct Lines: Sendable {
        var length = 0
        var values: [UInt8] = []
    }

    /// The luma samples and the subsampled ones of both chroma planes along a set of lines.
    struct LineSet: Sendable {
        /// The positions of the lines in luma samples.
        var positions: [Int] = []
        var luma = Lines(), cb = Lines(), cr = Lines()
        /// 1 for each luma sample that kept its value over the last samples of the picture, 0 for the others; empty for a
        /// single picture.
        var isStable: [UInt16] = []
        /// The number of luma samples per chroma sample along a line, as a shift.
        var chromaShift = 0
    }

    let width: Int
    let height: Int
    /// Some rows, each with all columns.
    private(set) var rows = LineSet()
    /// Some columns, each with all rows.
    private(set) var columns = LineSet()

    /// The number of rows, and of columns for the same distance, that are sampled.
    private static let lineCount = 180

    init(_ picture: borrowing Picture) {
        let format = picture.format
        (width, height) = (format.width, format.height)
        let step = max(2, height / Self.lineCount)
        rows.positions = Array(stride(from: step / 2, to: height, by: step))
        columns.positions = Array(stride(from: step / 2, to: width, by: step))
        (rows.chromaShift, columns.chromaShift) = (format.chroma.shiftX, format.chroma.shiftY)
        for plane in Plane.allCases {
            let (across, down) = Self.read(picture, plane, rows.positions, columns.positions)
            switch plane {
            case .luma: (rows.luma, columns.luma) = (across, down)
            case .cb: (rows.cb, columns.cb) = (across, down)
            case .cr: (rows.cr, columns.cr) = (across, down)
            }
        }
    }

    private static func read(
        _ picture: borrowing Picture, _ plane: Plane, _ rows: [Int], _ columns: [Int]
    ) -> (across: Lines, down: Lines) {
        let format = picture.format
        let width = format.width(of: plane), height = format.height(of: plane)
        let shiftX = plane == .luma ? 0 : format.chroma.shiftX
        let shiftY = plane == .luma ? 0 : format.chroma.shiftY
        let wantedRows = rows.map { $0 >> shiftY }, wantedColumns = columns.map { $0 >> shiftX }
        if format.bitDepth == 8 {
            return picture.with8BitPlane(plane) { samples, stride in
                copy(samples, stride, width, height, wantedRows, wantedColumns, depthShift: 0)
            }
        }
        return picture.with16BitPlane(plane) { samples, stride in
            copy(samples, stride, width, height, wantedRows, wantedColumns, depthShift: format.bitDepth - 8)
        }
    }

    @inline(__always)
    private static func copy<Sample: FixedWidthInteger & UnsignedInteger>(
        _ samples: Span<Sample>, _ stride: Int, _ width: Int, _ height: Int, _ rows: [Int], _ columns: [Int],
        depthShift: Int
    ) -> (across: Lines, down: Lines) {
        var across = Lines(length: width, values: [])
        across.values.reserveCapacity(width * rows.count)
        for y in rows {
            let line = samples.extracting(y * stride..<y * stride + width)
            for x in 0..<width { across.values.append(UInt8(truncatingIfNeeded: line[x] >> Sample(depthShift))) }
        }
        var down = Lines(length: height, values: [UInt8](repeating: 0, count: height * columns.count))
        for y in 0..<height {
            let line = samples.extracting(y * stride..<y * stride + width)
            var to = y
            for x in columns {
                down.values[to] = UInt8(truncatingIfNeeded: line[x] >> Sample(depthShift))
                to += height
            }
        }
        return (across, down)
    }

    /// Returns the samples with the information which of them kept their values since earlier ones of the same size.
    func stable(since earlier: [SparseSamples]) -> SparseSamples {
        var result = self
        result.rows.isStable = Self.stable(rows, earlier.map(\.rows))
        result.columns.isStable = Self.stable(columns, earlier.map(\.columns))
        return result
    }

    /// The largest change of a sample that compression causes in a flat part.
    private static let noise: UInt8 = 6

    private static func stable(_ set: LineSet, _ earlier: [LineSet]) -> [UInt16] {
        let now = set.luma.values
        var result = [UInt16](repeating: 1, count: now.count)
        for before in earlier where before.luma.values.count == now.count {
            let then = before.luma.values
            for index in now.indices {
                let (a, b) = (now[index], then[index])
                result[index] &= max(a, b) &- min(a, b) <= noise ? 1 : 0
            }
        }
        return result
    }

    /// Returns the colour of a sampled row at a column.
    func colour(row index: Int, column: Int) -> FlatColour { Self.colour(rows, index, column) }

    /// Returns the colour of a sampled column at a row.
    func colour(column index: Int, row: Int) -> FlatColour { Self.colour(columns, index, row) }

    private static func colour(_ set: LineSet, _ line: Int, _ position: Int) -> FlatColour {
        let chroma = position >> set.chromaShift
        return FlatColour(
            luma: set.luma.values[line * set.luma.length + position],
            cb: set.cb.values[line * set.cb.length + min(chroma, set.cb.length - 1)],
            cr: set.cr.values[line * set.cr.length + min(chroma, set.cr.length - 1)])
    }
}
