import Platform
package import Raster

/// Measures the darkness and the noise of a scene from some hundred small blocks of two successive frames. This is
/// cheap enough for several times a second.
package enum SceneMeter {
    /// The measurement of two frames.
    package struct Reading: Sendable, Hashable {
        /// The standard deviation of a still frame's luma noise in codes of 8 bits.
        package var noise: Double
        /// The mean luma, 0…1 from black to white.
        package var brightness: Double
    }

    private static let columns = 24, rows = 14
    /// The quantile of the blocks' noise that counts, a low one because motion looks like noise; and the same quantile
    /// of χ² with 64 degrees of freedom, as a fraction of its mean.
    private static let quantile = 0.3, quantileOfMean = 0.903

    /// Measures two successive frames.
    ///
    /// - Returns: `nil` if the frames are of different formats, or too small.
    package static func reading(_ a: borrowing Picture, _ b: borrowing Picture) -> Reading? {
        let format = a.format
        guard format == b.format, format.width >= 16, format.height >= 16 else { return nil }
        var energies: [Double] = []
        var sum = 0.0
        let unit = Double(1 << (format.bitDepth - 8))
        func read<Sample: FixedWidthInteger & UnsignedInteger>(
            _ p: Span<Sample>, _ strideP: Int, _ q: Span<Sample>, _ strideQ: Int
        ) {
            for row in 0..<rows {
                for column in 0..<columns {
                    let x = (2 * column + 1) * format.width / (2 * columns) - 4
                    let y = (2 * row + 1) * format.height / (2 * rows) - 4
                    let (left, top) = (x.clamped(to: 0...format.width - 8), y.clamped(to: 0...format.height - 8))
                    var (level, difference, squares) = (0, 0, 0)
                    for line in top..<top + 8 {
                        for place in left..<left + 8 {
                            let own = Int(p[line * strideP + place])
                            let change = own - Int(q[line * strideQ + place])
                            level += own
                            difference += change
                            squares += change * change
                        }
                    }
                    let mean = Double(difference) / 64
                    energies.append((Double(squares) / 64 - mean * mean) * 64 / 63)
                    sum += Double(level) / 64
                }
            }
        }
        if format.bitDepth == 8 {
            a.with8BitPlane(.luma) { p, strideP in b.with8BitPlane(.luma) { read(p, strideP, $0, $1) } }
        } else {
            a.with16BitPlane(.luma) { p, strideP in b.with16BitPlane(.luma) { read(p, strideP, $0, $1) } }
        }
        energies.sort()
        let energy = energies[Int(Double(energies.count - 1) * quantile)] / quantileOfMean
        let (black, white) = format.range == .full ? (0.0, 255.0) : (16.0, 235.0)
        let mean = sum / Double(energies.count) / unit
        return Reading(
            noise: (energy / 2).squareRoot() / unit, brightness: ((mean - black) / (white - black)).clamped(to: 0...1))
    }
}

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
