/// A picture as the mean luma and chroma of some hundred square cells: enough to detect changes, and too coarse for
/// noise to matter.
///
/// A cell's mean covers hundreds of samples, not all of them: rows are skipped in high cells.
package struct CellMeans: Sendable {
    /// The cells along the longer side.
    private static let longSide = 32
    /// The rows of samples that a cell needs.
    private static let minimumRows = 12

    /// The number of cells across and down; 0 before a picture was read.
    package private(set) var columns = 0, rows = 0
    /// The means as codes of 8 bits, cell after cell, row after row.
    package private(set) var luma: [Float] = [], cb: [Float] = [], cr: [Float] = []

    package init() {}

    /// Reads a picture.
    /// - Complexity: O(samples) for small pictures; for large ones the number of rows read is constant.
    package mutating func read(_ picture: borrowing Picture) {
        let format = picture.format
        let longest = max(format.width, format.height)
        columns = max(1, (Self.longSide * format.width + longest / 2) / longest)
        rows = max(1, (Self.longSide * format.height + longest / 2) / longest)
        if luma.count != columns * rows {
            luma = [Float](repeating: 0, count: columns * rows)
            (cb, cr) = (luma, luma)
        }
        Self.read(picture, .luma, columns: columns, rows: rows, into: &luma)
        Self.read(picture, .cb, columns: columns, rows: rows, into: &cb)
        Self.read(picture, .cr, columns: columns, rows: rows, into: &cr)
    }

    /// Copies one cell from another picture of the same cells.
    package mutating func copy(_ cell: Int, from other: CellMeans) {
        luma[cell] = other.luma[cell]
        cb[cell] = other.cb[cell]
        cr[cell] = other.cr[cell]
    }

    private static func read(
        _ picture: borrowing Picture, _ plane: Plane, columns: Int, rows: Int, into means: inout [Float]
    ) {
        let format = picture.format
        let width = format.width(of: plane), height = format.height(of: plane)
        if format.bitDepth == 8 {
            picture.with8BitPlane(plane) {
                average($0, $1, width, height, columns: columns, rows: rows, scale: 1, into: &means)
            }
        } else {
            picture.with16BitPlane(plane) {
                average(
                    $0, $1, width, height, columns: columns, rows: rows,
                    scale: 1 / Float(1 << (format.bitDepth - 8)), into: &means)
            }
        }
    }

    @inline(__always)
    private static func average<Sample: FixedWidthInteger & UnsignedInteger>(
        _ samples: Span<Sample>, _ stride: Int, _ width: Int, _ height: Int, columns: Int, rows: Int, scale: Float,
        into means: inout [Float]
    ) {
        let step = max(1, height / rows / minimumRows)
        for row in 0..<rows {
            // In a picture with fewer samples than cells, neighbours share one.
            let top = min(row * height / rows, height - 1)
            let bottom = max((row + 1) * height / rows, top + 1)
            for column in 0..<columns {
                let left = min(column * width / columns, width - 1)
                let right = max((column + 1) * width / columns, left + 1)
                var sum: UInt32 = 0, lines = 0
                for y in Swift.stride(from: top, to: bottom, by: step) {
                    let line = samples.extracting(y * stride + left..<y * stride + right)
                    for x in 0..<line.count { sum &+= UInt32(truncatingIfNeeded: line[x]) }
                    lines += 1
                }
                means[row * columns + column] = Float(sum) / Float(lines * (right - left)) * scale
            }
        }
    }
}

/// Detects motion from a few samples of each picture.
///
/// The picture is divided into cells. The luma of a short strip in the middle of each is averaged, so that noise does
/// not count as motion. The cost is some ten thousand samples for any picture size.
package struct MotionProbe: Sendable {
    private static let columns = 32, rows = 18
    /// The maximum size of a cell's strip in samples.
    private static let stripWidth = 16, stripHeight = 2
    /// The minimum change of a cell's mean, of 255 steps.
    private static let threshold = 6
    /// The minimum number of changed cells for some motion, and for much.
    private static let someCells = 3, manyCells = 16

    /// The amount of motion in a picture.
    package enum Motion: Sendable { case none, some, much }

    private var reference: [Int32] = []
    private var current = [Int32](repeating: 0, count: columns * rows)

    package init() {}

    /// Stores a picture as the reference for later ones.
    package mutating func remember(_ picture: borrowing Picture) {
        Self.read(picture, into: &current)
        swap(&current, &reference)
        if current.count != reference.count { current = reference }
    }

    /// Returns the motion of a picture relative to the reference, outside of people.
    package mutating func motion(in picture: borrowing Picture, apartFrom mask: TileMask?) -> Motion {
        guard !reference.isEmpty else { return .much }
        Self.read(picture, into: &current)
        let depth = picture.format.bitDepth - 8
        var changed = 0
        for cell in current.indices
        where abs(current[cell] - reference[cell]) > Int32(Self.threshold << depth) {
            let x = (Double(cell % Self.columns) + 0.5) / Double(Self.columns)
            let y = (Double(cell / Self.columns) + 0.5) / Double(Self.rows)
            if mask?.isWithinPerson(x, y) == true { continue }
            changed += 1
            if changed == Self.manyCells { return .much }
        }
        return changed >= Self.someCells ? .some : .none
    }

    private static func read(_ picture: borrowing Picture, into means: inout [Int32]) {
        let format = picture.format
        if format.bitDepth == 8 {
            picture.with8BitPlane(.luma) { read($0, $1, format, into: &means) }
        } else {
            picture.with16BitPlane(.luma) { read($0, $1, format, into: &means) }
        }
    }

    @inline(__always)
    private static func read<Sample: FixedWidthInteger & UnsignedInteger>(
        _ samples: Span<Sample>, _ stride: Int, _ format: PictureFormat, into means: inout [Int32]
    ) {
        let width = max(min(stripWidth, format.width / columns), 1)
        let height = max(min(stripHeight, format.height / rows), 1)
        for row in 0..<rows {
            let top = min((2 * row + 1) * format.height / (2 * rows), format.height - height)
            for column in 0..<columns {
                let left = min((2 * column + 1) * format.width / (2 * columns), format.width - width)
                var sum: Int32 = 0
                for y in top..<top + height {
                    let strip = samples.extracting(y * stride + left..<y * stride + left + width)
                    for x in 0..<width { sum &+= Int32(truncatingIfNeeded: strip[x]) }
                }
                means[row * columns + column] = sum / Int32(width * height)
            }
        }
    }
}
