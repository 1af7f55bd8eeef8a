import Raster

/// Takes away what noise is left after fusion, as far as it can be told from detail within one picture.
///
/// Blocks of 8 by 8 are transformed, coefficients that noise explains are left out, and blocks that lie over each other
/// are averaged (G. Yu and G. Sapiro, "DCT image denoising: a simple and effective image denoising algorithm", 2011). How strong noise is comes from ``NoiseLeft``: where many
/// pictures were merged nearly nothing happens, where something moved much of the noise goes.
@safe
final class SpatialDenoiser {
    private typealias Lanes = CosineTransform.Lanes

    /// Rows from one block to the next.
    private static let step = 4
    /// Blocks that are filtered at once, each one sample further on than the one before.
    private static let lanes = 4
    /// Samples beyond the plane on each side that blocks hang over.
    private static let margin = 8
    /// How many deviations of noise a coefficient must have to be detail.
    private let threshold: Float
    /// Whether across blocks begin at half of the samples only: each of four, but of the next four none.
    private let isQuick: Bool
    /// Less noise than this, as a variance of samples, is left alone: a quarter of a code of 8 bits.
    private static let least = NoiseModel.code * NoiseModel.code / 16

    private let block: UnsafeMutablePointer<Lanes>

    /// - Parameters:
    ///   - threshold: In deviations of the noise.
    ///   - isQuick: Whether half the blocks will do.
    init(threshold: Float, isQuick: Bool) {
        (self.threshold, self.isQuick) = (threshold, isQuick)
        unsafe block = .allocate(capacity: 64)
        unsafe block.initialize(repeating: .zero, count: 64)
    }

    deinit { unsafe block.deallocate() }

    /// Changes a plane.
    ///
    /// - Parameters:
    ///   - shiftX, shiftY: How the plane's samples lie among those of luma.
    func apply(to plane: SamplePlane, _ noise: NoiseLeft, _ model: NoiseModel, shiftX: Int, shiftY: Int) {
        // Each sample lies in eight blocks across, or in four.
        let span = isQuick ? 8 : 4
        let reach = plane.width + Self.margin
        let lineWidth = (reach + 7) / 8 * 8 + 16
        let lines = plane.height + 2 * Self.margin
        var source = [Float](repeating: 0, count: lineWidth * lines), sum = source
        for y in 0..<lines {
            let row = unsafe UnsafePointer(plane.address(-Self.margin, y - Self.margin))
            let available = min(lineWidth, plane.stride - (SamplePlane.margin - Self.margin))
            for x in 0..<available { source[y * lineWidth + x] = unsafe Float(row[x]) }
            for x in available..<lineWidth { source[y * lineWidth + x] = source[y * lineWidth + available - 1] }
        }
        unsafe source.withUnsafeBufferPointer { source in
            unsafe sum.withUnsafeMutableBufferPointer { sum in
                for y in stride(from: 0, through: lines - 8, by: Self.step) {
                    // The other half in every second row of blocks.
                    let first = isQuick && y & Self.step != 0 ? Self.lanes : 0
                    for left in stride(from: first, to: reach, by: span) {
                        let at = y * lineWidth + left
                        let (x, top) = ((left + 4 - Self.margin) << shiftX, (y + 4 - Self.margin) << shiftY)
                        let level = unsafe Int16(source[at + 4 * lineWidth + 4])
                        let variance = model.variance(at: level) / 2 * noise.share(atX: x, y: top)
                        unsafe filter(
                            source.baseAddress! + at, into: sum.baseAddress! + at, lineWidth, variance: variance)
                    }
                }
            }
        }
        let scale = 1 / Float(8 / span * Self.lanes * (8 / Self.step))
        for y in 0..<plane.height {
            let row = unsafe plane.address(0, y)
            let from = (y + Self.margin) * lineWidth + Self.margin
            for x in 0..<plane.width {
                let value = sum[from + x] * scale
                unsafe row[x] = FixedSample.rounded(value)
            }
        }
        plane.repeatEdges()
    }

    @unsafe private func filter(
        _ source: UnsafePointer<Float>, into sum: UnsafeMutablePointer<Float>, _ lineWidth: Int, variance: Float
    ) {
        for row in 0..<8 {
            let line = unsafe UnsafeRawPointer(source + row * lineWidth)
            for column in 0..<8 {
                unsafe block[row * 8 + column] = line.loadUnaligned(fromByteOffset: column * 4, as: Lanes.self)
            }
        }
        if variance > Self.least {
            for row in 0..<8 { unsafe CosineTransform.forward(block + row * 8, step: 1) }
            for column in 0..<8 { unsafe CosineTransform.forward(block + column, step: 8) }
            let limit = Lanes(repeating: threshold * threshold * variance)
            for index in 1..<64 {
                let value = unsafe block[index]
                // The sign in all bits where the coefficient is too small: comparisons are made lane by lane.
                let small = unsafe unsafeBitCast(value * value - limit, to: SIMD4<Int32>.self) &>> 31
                unsafe block[index] = unsafe unsafeBitCast(
                    unsafeBitCast(value, to: SIMD4<Int32>.self) & ~small, to: Lanes.self)
            }
            for column in 0..<8 { unsafe CosineTransform.inverse(block + column, step: 8) }
            for row in 0..<8 { unsafe CosineTransform.inverse(block + row * 8, step: 1) }
        }
        for row in 0..<8 {
            let line = unsafe UnsafeMutableRawPointer(sum + row * lineWidth)
            for column in 0..<8 {
                let old = unsafe line.loadUnaligned(fromByteOffset: column * 4, as: Lanes.self)
                unsafe line.storeBytes(of: old + block[row * 8 + column], toByteOffset: column * 4, as: Lanes.self)
            }
        }
    }
}
