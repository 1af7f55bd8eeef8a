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
                    let (left, top) = (min(max(x, 0), format.width - 8), min(max(y, 0), format.height - 8))
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
            noise: (energy / 2).squareRoot() / unit, brightness: min(max((mean - black) / (white - black), 0), 1))
    }
}
