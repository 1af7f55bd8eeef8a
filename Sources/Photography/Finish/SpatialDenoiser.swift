import Raster

/// Takes away what noise is left after fusion, as far as it can be told from detail within one picture.
///
/// Blocks of 8 by 8 are transformed, coefficients that noise explains are left out, and blocks that lie over each other
/// are averaged (G. Yu and G. Sapiro, "DCT image denoising: a simple and effective image denoising algorithm", 2011). How strong noise is comes from ``NoiseLeft``: where many
/// pictures were merged nearly nothing happens, where something moved much of the noise goes.
@safe
final class SpatialDenoiser {
    /// Rows from one block to the next.
    private static let step = 4
    /// Blocks that are filtered at once, each one sample further on than the one before.
    private static let lanes = CosineTransform.lanes
    /// Samples beyond the plane on each side that blocks hang over.
    private static let margin = 8
    /// Zeros before and after each row of ``rows``, so that all of them can be added to each other.
    private static let pad = 8
    /// How many deviations of noise a coefficient must have to be detail.
    private let threshold: Float
    /// Whether blocks begin at half of the samples only: at each of ``lanes``, but at none of the next.
    private let isQuick: Bool
    /// Less noise than this, as a variance of samples, is left alone: a quarter of a code of 8 bits.
    private static let least = NoiseModel.code * NoiseModel.code / 16

    /// The blocks' 64 values, one of all of them after the other.
    private let block: UnsafeMutablePointer<Float>
    /// One row of all blocks, the first sample of each, then the second, and so on.
    private let rows: UnsafeMutablePointer<Float>
    private static let rowStep = lanes + 2 * pad
    /// The square from which on a coefficient is detail, for each block.
    private let limits: UnsafeMutablePointer<Float>

    /// - Parameters:
    ///   - threshold: In deviations of the noise.
    ///   - isQuick: Whether half the blocks will do.
    init(threshold: Float, isQuick: Bool) {
        (self.threshold, self.isQuick) = (threshold, isQuick)
        unsafe block = .allocate(capacity: 64 * Self.lanes)
        unsafe rows = .allocate(capacity: 8 * Self.rowStep)
        unsafe limits = .allocate(capacity: Self.lanes)
        unsafe block.initialize(repeating: 0, count: 64 * Self.lanes)
        unsafe rows.initialize(repeating: 0, count: 8 * Self.rowStep)
        unsafe limits.initialize(repeating: 0, count: Self.lanes)
    }

    deinit {
        unsafe block.deallocate()
        unsafe rows.deallocate()
        unsafe limits.deallocate()
    }

    /// Changes a plane.
    ///
    /// Rows of blocks are filtered from top to bottom. What lies above the next one is done, and replaces the plane's own
    /// samples, which no block needs any more.
    ///
    /// - Parameters:
    ///   - shiftX, shiftY: How the plane's samples lie among those of luma.
    func apply(to plane: SamplePlane, _ noise: NoiseLeft, _ model: NoiseModel, shiftX: Int, shiftY: Int) {
        let span = isQuick ? 2 * Self.lanes : Self.lanes
        let reach = plane.width + Self.margin
        let band = FilterBand(width: reach + 2 * Self.lanes + Self.pad, margin: Self.margin)
        for line in 0..<Self.step { band.read(line, of: plane) }
        let scale = Float(Self.step) / Float(8 * 8) * Float(span / Self.lanes)
        for y in stride(from: 0, through: plane.height + 2 * Self.margin - 8, by: Self.step) {
            for line in y + Self.step..<y + 8 { band.read(line, of: plane) }
            // The other half in every second row of blocks.
            let first = isQuick && y & Self.step != 0 ? Self.lanes : 0
            for left in stride(from: first, to: reach, by: span) {
                var greatest: Float = 0
                let middles = unsafe band.source(y + 4) + left + 4
                for lane in stride(from: 0, to: Self.lanes, by: 4) {
                    let (x, top) = ((left + lane + 4 - Self.margin) << shiftX, (y + 4 - Self.margin) << shiftY)
                    let variance =
                        model.variance(at: Int16(unsafe middles[lane])) / 2 * noise.share(atX: x, y: top)
                    greatest = max(greatest, variance)
                    let limit = variance > Self.least ? threshold * threshold * variance : 0
                    for at in lane..<lane + 4 { unsafe limits[at] = limit }
                }
                if greatest > Self.least { filter(band, left, y) } else { keep(band, left, y) }
            }
            for line in y..<y + Self.step { band.write(line, to: plane, scale: scale) }
        }
        plane.repeatEdges()
    }

    /// Adds what blocks are without noise.
    private func filter(_ band: FilterBand, _ left: Int, _ y: Int) {
        let lanes = Self.lanes
        // From a row's sample to the one before it in the next row.
        let before = Self.rowStep - 1
        let (block, rows, limits) = unsafe (block, rows, limits)
        for row in 0..<8 {
            unsafe CosineTransform.forward(
                band.source(y + row) + left, step: 1, into: block + row * 8 * lanes, step: lanes)
        }
        for column in 0..<8 {
            let values = unsafe block + column * lanes
            unsafe CosineTransform.forward(values, step: 8 * lanes, into: values, step: 8 * lanes)
        }
        // The mean is no noise.
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
                // Of each block the sample that lies here; beyond the blocks there are zeros.
                let own = unsafe rows + Self.pad + x
                let first = unsafe (own[0] + own[before]) + (own[2 * before] + own[3 * before])
                let second = unsafe (own[4 * before] + own[5 * before]) + (own[6 * before] + own[7 * before])
                unsafe sum[x] += first + second
            }
        }
    }

    /// Adds blocks as they are.
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
