import Raster

/// Removes the noise that remains after fusion, as far as it can be distinguished from detail within one picture.
///
/// Blocks of 8 by 8 are transformed, coefficients within the noise are set to zero, and overlapping blocks are averaged
/// (G. Yu and G. Sapiro, "DCT image denoising: a simple and effective image denoising algorithm", 2011). The strength
/// of noise comes from ``ResidualNoise``. Places that were merged from many pictures hardly change; places with motion
/// lose much of their noise.
@safe
final class SpatialDenoiser {
    /// The rows from one block to the next.
    private static let step = 4
    /// The number of blocks that are filtered at once. Each begins one sample to the right of the previous block.
    private static let lanes = CosineTransform.lanes
    /// The number of samples by which blocks extend beyond the plane on each side.
    private static let margin = 8
    /// The number of zeros before and after each row of ``rows``, so that rows can be added to each other with an
    /// offset.
    private static let pad = 8
    /// The minimum strength of a coefficient that is detail, in standard deviations of the noise.
    private let threshold: Float
    /// True if only half of the blocks are used: groups of ``lanes`` samples alternate.
    private let isQuick: Bool
    /// The minimum variance of noise that is filtered: the square of a quarter of a code of 8 bits.
    private static let minimum = NoiseModel.code * NoiseModel.code / 16

    /// The 64 values of all blocks of a group: the first value of each block, then the second, and so on.
    private let block = KernelMemory<Float>(repeating: 0, count: 64 * lanes)
    /// One row of all blocks: the first sample of each, then the second, and so on.
    private let rows = KernelMemory<Float>(repeating: 0, count: 8 * rowStep)
    private static let rowStep = lanes + 2 * pad
    /// For each block, the square of the smallest coefficient that is detail.
    private let limits = KernelMemory<Float>(repeating: 0, count: lanes)

    /// - Parameters:
    ///   - threshold: The minimum strength of detail that is kept, in standard deviations of the noise.
    ///   - isQuick: Whether only half of the blocks are used.
    init(threshold: Float, isQuick: Bool) {
        (self.threshold, self.isQuick) = (threshold, isQuick)
    }

    /// Filters a plane.
    ///
    /// Rows of blocks are filtered from top to bottom. Then the sums above the next row of blocks are complete, and
    /// replace the plane's own samples, which no further block needs.
    ///
    /// - Parameters:
    ///   - shiftX, shiftY: The subsampling of the plane relative to luma.
    func apply(to plane: SamplePlane, _ noise: ResidualNoise, _ model: NoiseModel, shiftX: Int, shiftY: Int) {
        let span = isQuick ? 2 * Self.lanes : Self.lanes
        let reach = plane.width + Self.margin
        let band = FilterBand(width: reach + 2 * Self.lanes + Self.pad, margin: Self.margin)
        for line in 0..<Self.step { band.read(line, of: plane) }
        let scale = Float(Self.step) / Float(8 * 8) * Float(span / Self.lanes)
        for y in stride(from: 0, through: plane.height + 2 * Self.margin - 8, by: Self.step) {
            for line in y + Self.step..<y + 8 { band.read(line, of: plane) }
            // If only half of the blocks are used, every second row of blocks uses the other half.
            let first = isQuick && y & Self.step != 0 ? Self.lanes : 0
            for left in stride(from: first, to: reach, by: span) {
                var greatest: Float = 0
                let middles = unsafe band.source(y + 4) + left + 4
                for lane in stride(from: 0, to: Self.lanes, by: 4) {
                    let (x, top) = ((left + lane + 4 - Self.margin) << shiftX, (y + 4 - Self.margin) << shiftY)
                    let variance =
                        model.variance(at: Int16(unsafe middles[lane])) / 2 * noise.share(atX: x, y: top)
                    greatest = max(greatest, variance)
                    let limit = variance > Self.minimum ? threshold * threshold * variance : 0
                    for at in lane..<lane + 4 { unsafe limits.address[at] = limit }
                }
                if greatest > Self.minimum { filter(band, left, y) } else { keep(band, left, y) }
            }
            for line in y..<y + Self.step { band.write(line, to: plane, scale: scale) }
        }
        plane.repeatEdges()
    }

    /// Adds a group of blocks to the sums, without their noise.
    private func filter(_ band: FilterBand, _ left: Int, _ y: Int) {
        let lanes = Self.lanes
        // The offset from a sample of a row to the previous sample of the next row.
        let before = Self.rowStep - 1
        let (block, rows, limits) = unsafe (block.address, rows.address, limits.address)
        for row in 0..<8 {
            unsafe CosineTransform.forward(
                band.source(y + row) + left, step: 1, into: block + row * 8 * lanes, step: lanes)
        }
        for column in 0..<8 {
            let values = unsafe block + column * lanes
            unsafe CosineTransform.forward(values, step: 8 * lanes, into: values, step: 8 * lanes)
        }
        // The first coefficient is the block's mean, and is kept.
        for index in 1..<64 {
            let values = unsafe block + index * lanes
            for lane in 0..<lanes {
                let value = unsafe values[lane]
                unsafe values[lane] = unsafe value * value < limits[lane] ? 0 : value
            }
        }
        for column in 0..<8 {
            let values = unsafe block + column * lanes
            unsafe CosineTransform.inverse(values, step: 8 * lanes, into: values, step: 8 * lanes)
        }
        for row in 0..<8 {
            unsafe CosineTransform.inverse(
                block + row * 8 * lanes, step: lanes, into: rows + Self.pad, step: Self.rowStep)
            let sum = unsafe band.sum(y + row) + left
            for x in 0..<lanes + Self.pad {
                // Adds the samples of all blocks that cover this place. Blocks that do not cover it contribute zeros.
                let own = unsafe rows + Self.pad + x
                let first = unsafe (own[0] + own[before]) + (own[2 * before] + own[3 * before])
                let second = unsafe (own[4 * before] + own[5 * before]) + (own[6 * before] + own[7 * before])
                unsafe sum[x] += first + second
            }
        }
    }

    /// Adds a group of blocks to the sums, unchanged.
    private func keep(_ band: FilterBand, _ left: Int, _ y: Int) {
        for row in 0..<8 {
            let source = unsafe band.source(y + row) + left, sum = unsafe band.sum(y + row) + left
            for x in 0..<Self.lanes + Self.pad {
                let times = min(min(x + 1, 8), max(Self.lanes + 7 - x, 0))
                unsafe sum[x] += unsafe source[x] * Float(times)
            }
        }
    }
}

/// The discrete cosine transform of 8 values, for ``lanes`` rows at once. It is orthonormal, so noise has the same
/// variance in all coefficients.
///
/// The values of all rows are interleaved, so that the compiler vectorises the loops over rows.
private enum CosineTransform {
    /// The number of rows transformed at once.
    static let lanes = 16

    // cos(k π / 16) / 2
    private static let c1: Float = 0.49039264, c2: Float = 0.46193977, c3: Float = 0.41573481
    private static let c5: Float = 0.27778512, c6: Float = 0.19134172, c7: Float = 0.09754516
    /// √(1/8)
    private static let c4: Float = 0.35355339

    /// Transforms eight values, `step` apart, into eight results that are `resultStep` apart. Both may be the same
    /// memory.
    @inline(__always)
    @unsafe static func forward(
        _ values: UnsafePointer<Float>, step: Int, into result: UnsafeMutablePointer<Float>, step resultStep: Int
    ) {
        for lane in 0..<lanes {
            let value = unsafe values + lane, to = unsafe result + lane
            let (x0, x1, x2, x3) = unsafe (value[0], value[step], value[2 * step], value[3 * step])
            let (x4, x5, x6, x7) = unsafe (value[4 * step], value[5 * step], value[6 * step], value[7 * step])
            let (s0, s1, s2, s3) = (x0 + x7, x1 + x6, x2 + x5, x3 + x4)
            let (d0, d1, d2, d3) = (x0 - x7, x1 - x6, x2 - x5, x3 - x4)
            let (even, odd) = (s0 + s3, s1 + s2)
            let (rest, cross) = (s0 - s3, s1 - s2)
            unsafe to[0] = (even + odd) * c4
            unsafe to[resultStep] = d0 * c1 + d1 * c3 + d2 * c5 + d3 * c7
            unsafe to[2 * resultStep] = rest * c2 + cross * c6
            unsafe to[3 * resultStep] = d0 * c3 - d1 * c7 - d2 * c1 - d3 * c5
            unsafe to[4 * resultStep] = (even - odd) * c4
            unsafe to[5 * resultStep] = d0 * c5 - d1 * c1 + d2 * c7 + d3 * c3
            unsafe to[6 * resultStep] = rest * c6 - cross * c2
            unsafe to[7 * resultStep] = d0 * c7 - d1 * c5 + d2 * c3 - d3 * c1
        }
    }

    /// Inverts the forward transform.
    @inline(__always)
    @unsafe static func inverse(
        _ values: UnsafePointer<Float>, step: Int, into result: UnsafeMutablePointer<Float>, step resultStep: Int
    ) {
        for lane in 0..<lanes {
            let value = unsafe values + lane, to = unsafe result + lane
            let (y0, y1, y2, y3) = unsafe (value[0], value[step], value[2 * step], value[3 * step])
            let (y4, y5, y6, y7) = unsafe (value[4 * step], value[5 * step], value[6 * step], value[7 * step])
            let (e0, e1) = ((y0 + y4) * c4, (y0 - y4) * c4)
            let (f0, f1) = (y2 * c2 + y6 * c6, y2 * c6 - y6 * c2)
            let (p0, p1, p2, p3) = (e0 + f0, e1 + f1, e1 - f1, e0 - f0)
            let q0 = y1 * c1 + y3 * c3 + y5 * c5 + y7 * c7
            let q1 = y1 * c3 - y3 * c7 - y5 * c1 - y7 * c5
            let q2 = y1 * c5 - y3 * c1 + y5 * c7 + y7 * c3
            let q3 = y1 * c7 - y3 * c5 + y5 * c3 - y7 * c1
            unsafe to[0] = p0 + q0
            unsafe to[resultStep] = p1 + q1
            unsafe to[2 * resultStep] = p2 + q2
            unsafe to[3 * resultStep] = p3 + q3
            unsafe to[4 * resultStep] = p3 - q3
            unsafe to[5 * resultStep] = p2 - q2
            unsafe to[6 * resultStep] = p1 - q1
            unsafe to[7 * resultStep] = p0 - q0
        }
    }
}

/// A ring of eight rows of a plane: their original values, and the sums of the filtered blocks. Rows whose numbers
/// differ by eight share a place.
@safe
private final class FilterBand {
    private static let rows = 8
    private let width, margin: Int
    private let sources, sums: KernelMemory<Float>

    /// - Parameters:
    ///   - width: The samples of a row, with the margin on both sides.
    ///   - margin: The number of rows and samples before the plane's first.
    init(width: Int, margin: Int) {
        (self.width, self.margin) = (width, margin)
        sources = KernelMemory(repeating: 0, count: width * Self.rows)
        sums = KernelMemory(repeating: 0, count: width * Self.rows)
    }

    /// Returns the original values of a row.
    @inline(__always)
    @unsafe func source(_ line: Int) -> UnsafeMutablePointer<Float> {
        unsafe sources.address + (line & 7) * width
    }

    /// Returns the sums of a row.
    @inline(__always)
    @unsafe func sum(_ line: Int) -> UnsafeMutablePointer<Float> { unsafe sums.address + (line & 7) * width }

    /// Reads a row, whose number counts from the margin's first row, and replaces an earlier row of the ring.
    func read(_ line: Int, of plane: SamplePlane) {
        let row = unsafe UnsafePointer(plane.address(-margin, line - margin))
        let target = unsafe source(line)
        let available = min(width, plane.stride - (SamplePlane.margin - margin))
        for x in 0..<available { unsafe target[x] = Float(row[x]) }
        for x in available..<width { unsafe target[x] = target[available - 1] }
        unsafe sum(line).update(repeating: 0, count: width)
    }

    /// Writes a row of sums to the plane. A row of the margin is ignored.
    func write(_ line: Int, to plane: SamplePlane, scale: Float) {
        guard line >= margin, line - margin < plane.height else { return }
        let row = unsafe plane.address(0, line - margin)
        let values = unsafe UnsafePointer(sum(line) + margin)
        for x in 0..<plane.width { unsafe row[x] = SamplePlane.rounded(values[x] * scale) }
    }
}
