package import Raster

/// Measures the sharpness of a picture or of a part of it. Sharpness is the variance of the Laplacian of the luma at
/// half size, in codes of 8 bits. The values compare pictures of one scene; an absolute value has little meaning.
package enum SharpnessMeter {
    /// The step of the rows measured in the halved picture.
    private static let rowStep = 2

    /// - Parameters:
    ///   - columns, rows: The part of the luma plane to measure, in samples.
    /// - Returns: 0 if the part is too small.
    package static func sharpness(
        of picture: borrowing Picture, columns: Range<Int>? = nil, rows: Range<Int>? = nil
    ) -> Double {
        let format = picture.format
        let columns = (columns ?? 0..<format.width).clamped(to: 0..<format.width)
        let rows = (rows ?? 0..<format.height).clamped(to: 0..<format.height)
        guard columns.count >= 8, rows.count >= 8 else { return 0 }
        if format.bitDepth == 8 {
            return picture.with8BitPlane(.luma) { sharpness($0, $1, columns, rows, scale: 1) }
        }
        let scale = 1 / Double(1 << (format.bitDepth - 8))
        return picture.with16BitPlane(.luma) { sharpness($0, $1, columns, rows, scale: scale) }
    }

    @inline(__always)
    private static func sharpness<Sample: FixedWidthInteger & UnsignedInteger>(
        _ samples: Span<Sample>, _ stride: Int, _ columns: Range<Int>, _ rows: Range<Int>, scale: Double
    ) -> Double {
        let (width, height) = (columns.count / 2, rows.count / 2)
        var above = [Int32](repeating: 0, count: width), here = above, below = above
        var (sum, squares, count): (Int64, Int64, Int64) = (0, 0, 0)
        for y in Swift.stride(from: 1, to: height - 1, by: rowStep) {
            halve(samples, stride, columns, rows.lowerBound + 2 * (y - 1), into: &above)
            halve(samples, stride, columns, rows.lowerBound + 2 * y, into: &here)
            halve(samples, stride, columns, rows.lowerBound + 2 * (y + 1), into: &below)
            var (rowSum, rowSquares): (Int32, Int64) = (0, 0)
            for x in 1..<width - 1 {
                let value = 4 &* here[x] &- here[x - 1] &- here[x + 1] &- above[x] &- below[x]
                rowSum &+= value
                rowSquares &+= Int64(value) &* Int64(value)
            }
            sum += Int64(rowSum)
            squares += rowSquares
            count += Int64(width - 2)
        }
        guard count > 0 else { return 0 }
        let mean = Double(sum) / Double(count)
        // The values are computed from sums, not means, of four samples. So their variance is 16 times as high.
        return (Double(squares) / Double(count) - mean * mean) * scale * scale / 16
    }

    /// Sums two by two samples of two rows, the first of which is `row`.
    @inline(__always)
    private static func halve<Sample: FixedWidthInteger & UnsignedInteger>(
        _ samples: Span<Sample>, _ stride: Int, _ columns: Range<Int>, _ row: Int, into sums: inout [Int32]
    ) {
        let upper = samples.extracting(row * stride + columns.lowerBound..<row * stride + columns.upperBound)
        let start = (row + 1) * stride + columns.lowerBound
        let lower = samples.extracting(start..<start + columns.count)
        for x in sums.indices {
            let above = Int32(truncatingIfNeeded: upper[2 * x]) &+ Int32(truncatingIfNeeded: upper[2 * x + 1])
            let below = Int32(truncatingIfNeeded: lower[2 * x]) &+ Int32(truncatingIfNeeded: lower[2 * x + 1])
            sums[x] = above &+ below
        }
    }
}
