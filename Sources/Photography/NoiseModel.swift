import Platform
import Raster

/// The noise in the difference of two frames of one scene, as a function of the scene's brightness. ``BlockMerge``
/// measures it, and merging and denoising read it.
///
/// Samples have ``SamplePlane/bits`` bits. Variances refer to the *difference* of two frames, which is twice the
/// variance of one frame.
struct NoiseModel: Sendable, Hashable {
    /// The number of bits by which a sample is shifted to get its bin of brightness.
    private static let shift: Int16 = 9
    static let bins = 1 << (SamplePlane.bits - Int(shift))
    /// A code of 8 bits, in units of the samples.
    static let code = Float(1 << (SamplePlane.bits - 8))
    /// The minimum variance, about the variance of rounding to codes of 8 bits.
    private static let minimum = 0.25 * code * code

    /// The variance of the difference for each bin of brightness, from black to white.
    private(set) var variances: [Float]
    /// The ratio between the variance of the mean of 4 by 4 differences and the same variance of white noise. It
    /// exceeds 1 if the noise of neighbouring samples is correlated.
    private(set) var cellCorrelation: Float = 1
    /// The same ratio as ``cellCorrelation``, for the mean of 8 by 8 differences.
    private(set) var blockCorrelation: Float = 1

    /// The statistics of one block of 8 by 8.
    struct Block {
        var level: Int16
        /// The variance of its differences.
        var energy: Float
        /// The mean square of the means of its four cells of 4 by 4, times 16; equal to the energy for white noise.
        var cells: Float
        /// The square of its mean, times 64; equal to the energy for white noise.
        var mean: Float
    }

    /// The quantile of the blocks' noise that represents a brightness: a low one, because motion looks like noise.
    private static let quantile = 0.3
    /// The value of χ² with 64 degrees of freedom at that quantile, as a fraction of its mean.
    private static let quantileOfMean: Float = 0.903
    /// The maximum ratio of a correlation. Higher ratios result from changes of light.
    private static let maximumCorrelation: Float = 4
    /// The minimum number of blocks from which the variance of a bin is measured. The variances of other bins are
    /// interpolated.
    private static let enough = 24

    /// Creates the model from the statistics of blocks.
    init(_ blocks: [Block]) {
        var energies = [[Float]](repeating: [], count: Self.bins)
        for block in blocks { energies[Self.bin(block.level)].append(block.energy) }
        var known = [(bin: Int, variance: Float)]()
        for bin in energies.indices where energies[bin].count >= Self.enough {
            energies[bin].sort()
            let middle = energies[bin][Int(Double(energies[bin].count - 1) * Self.quantile)]
            known.append((bin, max(middle / Self.quantileOfMean, Self.minimum)))
        }
        if known.isEmpty {
            let all = blocks.map(\.energy).sorted()
            let middle = all.isEmpty ? 0 : all[Int(Double(all.count - 1) * Self.quantile)]
            known = [(0, max(middle / Self.quantileOfMean, Self.minimum))]
        }
        variances = Self.smoothed((0..<Self.bins).map { Self.interpolated(known, at: $0) })
        measureCorrelation(blocks)
    }

    /// Creates a model of white noise of one strength.
    init(variance: Float) { variances = [Float](repeating: max(variance, Self.minimum), count: Self.bins) }

    @inline(__always)
    private static func bin(_ level: Int16) -> Int { min(max(Int(level >> shift), 0), bins - 1) }

    /// Returns the variance of the difference of two frames at a brightness.
    @inline(__always)
    func variance(at level: Int16) -> Float { variances[Self.bin(level)] }

    /// The standard deviation of one frame's noise in codes of 8 bits: the median over brightness.
    var strength: Float { (variances.sorted()[Self.bins / 2] / 2).squareRoot() / Self.code }

    private static func interpolated(_ known: [(bin: Int, variance: Float)], at bin: Int) -> Float {
        guard let after = known.firstIndex(where: { $0.bin >= bin }) else { return known[known.count - 1].variance }
        if after == 0 || known[after].bin == bin { return known[after].variance }
        let (low, high) = (known[after - 1], known[after])
        let share = Float(bin - low.bin) / Float(high.bin - low.bin)
        return low.variance + share * (high.variance - low.variance)
    }

    private static func smoothed(_ values: [Float]) -> [Float] {
        values.indices.map { index in
            let before = values[max(index - 1, 0)], after = values[min(index + 1, values.count - 1)]
            return (before + 2 * values[index] + after) / 4
        }
    }

    /// Measures correlation in the blocks that seem to contain noise alone.
    private mutating func measureCorrelation(_ blocks: [Block]) {
        var (energy, cells, mean): (Float, Float, Float) = (0, 0, 0)
        for block in blocks where block.energy < 1.1 * variance(at: block.level) {
            energy += block.energy
            cells += block.cells
            mean += block.mean
        }
        guard energy > 0 else { return }
        cellCorrelation = (cells / energy).clamped(to: 1...Self.maximumCorrelation)
        blockCorrelation = (mean / energy).clamped(to: 1...Self.maximumCorrelation)
    }
}

/// Measures the noise of frames, by comparing them in areas without motion.
enum NoiseMeter {
    /// The step of the rows of blocks that are measured.
    private static let rowStep = 2

    /// Returns the model for a plane of a picture.
    ///
    /// - Parameters:
    ///   - others: Pictures of the same scene, and the displacements of the reference's blocks in them.
    static func model(
        of plane: Plane, reference: FusionPicture, others: [(picture: FusionPicture, motion: MotionField)]
    ) -> NoiseModel {
        let own = reference.plane(plane)
        let (shiftX, shiftY) =
            plane == .luma ? (0, 0) : (reference.format.chroma.shiftX, reference.format.chroma.shiftY)
        var blocks: [NoiseModel.Block] = []
        for other in others {
            let theirs = other.picture.plane(plane)
            for row in stride(from: 0, to: other.motion.rows, by: rowStep) {
                for column in 0..<other.motion.columns {
                    let vector = other.motion[column, row]
                    // At fractions of a chroma sample, chroma is interpolated and has less noise, so the block is
                    // skipped.
                    if Int(vector.x) & ((1 << shiftX) - 1) | Int(vector.y) & ((1 << shiftY) - 1) != 0 { continue }
                    let (x, y) = (column * 16 >> shiftX, row * 16 >> shiftY)
                    guard x + 8 <= own.width, y + 8 <= own.height else { continue }
                    let (u, v) = (x + Int(vector.x) >> shiftX, y + Int(vector.y) >> shiftY)
                    let block = unsafe Self.block(
                        own.address(x, y), own.stride,
                        theirs.address(theirs.column(u, width: 8), theirs.row(v, height: 8)), theirs.stride)
                    if let block { blocks.append(block) }
                }
            }
        }
        return NoiseModel(blocks)
    }

    /// - Returns: The statistics of a block of 8 by 8; `nil` for a block of black or white, whose noise is clipped.
    @unsafe private static func block(
        _ a: UnsafePointer<Int16>, _ strideA: Int, _ b: UnsafePointer<Int16>, _ strideB: Int
    ) -> NoiseModel.Block? {
        // The sum of eight squares of differences of 14-bit samples fits 32 bits.
        var squares = SIMD8<UInt32>.zero
        var halves: InlineArray<2, SIMD8<Int32>> = [.zero, .zero]
        var samples = SIMD8<Int32>.zero
        for y in 0..<8 {
            let own = unsafe UnsafeRawPointer(a + y * strideA).loadUnaligned(as: SIMD8<Int16>.self)
            let other = unsafe UnsafeRawPointer(b + y * strideB).loadUnaligned(as: SIMD8<Int16>.self)
            let wide = SIMD8<Int32>(truncatingIfNeeded: own &- other)
            squares &+= SIMD8<UInt32>(truncatingIfNeeded: wide &* wide)
            halves[y / 4] &+= wide
            samples &+= SIMD8<Int32>(truncatingIfNeeded: own)
        }
        let sum = samples.wrappedSum()
        var cells: InlineArray<4, Int32> = [0, 0, 0, 0]
        for half in halves.indices {
            cells[2 * half] = halves[half].lowHalf.wrappedSum()
            cells[2 * half + 1] = halves[half].highHalf.wrappedSum()
        }
        let level = Int16(truncatingIfNeeded: sum / 64)
        if level < 40 || level > (1 << SamplePlane.bits) - 40 { return nil }
        var (total, inCells): (Float, Float) = (0, 0)
        for index in cells.indices {
            let mean = Float(cells[index]) / 16
            inCells += mean * mean * 16 / 4
            total += Float(cells[index])
        }
        let mean = total / 64
        // A change of the whole block is a change of light, such as a fade, and must not count as noise.
        let energy = (SIMD8<Float>(squares).sum() / 64 - mean * mean) * (64.0 / 63)
        return NoiseModel.Block(level: level, energy: energy, cells: inCells, mean: mean * mean * 64)
    }
}

/// The noise that remains after fusion, block by block, and the original noise. ``BlockMerge`` creates it for
/// ``PictureFinish``.
struct ResidualNoise: Sendable {
    /// The number of blocks across and down. They overlap by half; half of the first block is outside the picture.
    let columns, rows: Int
    let luma, cb, cr: NoiseModel
    /// The remaining share of the reference's variance, row after row.
    private var shares: [Float]

    init(columns: Int, rows: Int, luma: NoiseModel, cb: NoiseModel, cr: NoiseModel) {
        (self.columns, self.rows) = (columns, rows)
        (self.luma, self.cb, self.cr) = (luma, cb, cr)
        shares = [Float](repeating: 1, count: columns * rows)
    }

    func model(of plane: Plane) -> NoiseModel {
        switch plane {
        case .luma: luma
        case .cb: cb
        case .cr: cr
        }
    }

    mutating func set(_ column: Int, _ row: Int, _ share: Float) { shares[row * columns + column] = share }

    /// Returns the share at a place of the luma plane: the share of the noisiest of the four blocks over it.
    func share(atX x: Int, y: Int) -> Float {
        let (column, row) = (min(max(x >> 3, 0), columns - 2), min(max(y >> 3, 0), rows - 2))
        let at = row * columns + column
        return max(max(shares[at], shares[at + 1]), max(shares[at + columns], shares[at + columns + 1]))
    }

    var mean: Float { shares.isEmpty ? 1 : shares.reduce(0, +) / Float(shares.count) }

    /// Returns the share of the blocks in which more than a limit of the variance remains.
    func share(above limit: Float) -> Float {
        shares.isEmpty ? 0 : Float(shares.count { $0 > limit }) / Float(shares.count)
    }
}
