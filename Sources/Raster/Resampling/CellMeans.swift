/// A picture as the mean luma and chroma of some hundred square cells: enough to detect changes, and too coarse for
/// noise to matter. Its owners (such as `SceneChangeDetector`) read one picture after another into it.
///
/// A cell's mean is computed from hundreds of samples. In high cells, rows are skipped.
package struct CellMeans: Sendable {
    /// The number of cells along the picture's longer side.
    private static let longSide = 32
    /// The minimum number of rows of samples that are read in a cell.
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
            // In a picture with fewer samples than cells, neighbouring cells share a sample.
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
