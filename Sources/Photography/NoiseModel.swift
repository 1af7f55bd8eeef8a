import Raster

/// How much two frames of one scene differ by noise alone, by how bright the scene is.
///
/// Samples have ``SamplePlane/bits`` bits, and variances are those of the *difference* of two frames, which is twice that
/// of one.
struct NoiseModel: Sendable, Hashable {
    /// Levels that are told apart, as a shift of samples.
    private static let shift: Int16 = 9
    static let bins = 1 << (SamplePlane.bits - Int(shift))
    /// Codes of 8 bits, as samples have them.
    static let code = Float(1 << (SamplePlane.bits - 8))
    /// The least variance: rounding to codes of 8 bits leaves about this.
    private static let least = 0.25 * code * code

    /// The variance of the difference, bin after bin.
    private(set) var variances: [Float]
    /// By how much the mean of 4 by 4 differences varies more than that of white noise would.
    private(set) var cellCorrelation: Float = 1
    /// The same of 8 by 8.
    private(set) var blockCorrelation: Float = 1

    /// What one block of 8 by 8 says.
    struct Block {
        var level: Int16
        /// The variance of its differences.
        var energy: Float
        /// The mean square of the means of its four cells of 4 by 4, times 16; of white noise it is the energy.
        var cells: Float
        /// The square of its mean, times 64; of white noise it is the energy.
        var mean: Float
    }

    /// Of all blocks of a brightness the stillest tell: this share of them is no noisier.
    private static let quantile = 0.3
    /// That share of χ² with 64 degrees of freedom, as a part of its mean.
    private static let quantileOfMean: Float = 0.903
    /// What goes beyond is light that changed.
    private static let mostCorrelation: Float = 4
    /// A bin needs so many blocks to speak for itself.
    private static let enough = 24

    /// The model of what blocks say.
    init(_ blocks: [Block]) {
        var energies = [[Float]](repeating: [], count: Self.bins)
        for block in blocks { energies[Self.bin(block.level)].append(block.energy) }
        var known = [(bin: Int, variance: Float)]()
        for bin in energies.indices where energies[bin].count >= Self.enough {
            energies[bin].sort()
            let middle = energies[bin][Int(Double(energies[bin].count - 1) * Self.quantile)]
            known.append((bin, max(middle / Self.quantileOfMean, Self.least)))
        }
        if known.isEmpty {
            let all = blocks.map(\.energy).sorted()
            let middle = all.isEmpty ? 0 : all[Int(Double(all.count - 1) * Self.quantile)]
            known = [(0, max(middle / Self.quantileOfMean, Self.least))]
        }
        variances = Self.smoothed((0..<Self.bins).map { Self.interpolated(known, at: $0) })
        measureCorrelation(blocks)
    }

    /// A model of white noise of one strength.
    init(variance: Float) { variances = [Float](repeating: max(variance, Self.least), count: Self.bins) }

    @inline(__always)
    private static func bin(_ level: Int16) -> Int { min(max(Int(level >> shift), 0), bins - 1) }

    /// The variance of the difference of two frames where the scene has a brightness.
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

    /// Looks at the blocks in which nothing but noise seems to be.
    private mutating func measureCorrelation(_ blocks: [Block]) {
        var (energy, cells, mean): (Float, Float, Float) = (0, 0, 0)
        for block in blocks where block.energy < 1.1 * variance(at: block.level) {
            energy += block.energy
            cells += block.cells
            mean += block.mean
        }
        guard energy > 0 else { return }
        cellCorrelation = min(max(cells / energy, 1), Self.mostCorrelation)
        blockCorrelation = min(max(mean / energy, 1), Self.mostCorrelation)
    }
}

/// Finds out how noisy frames are, by comparing them where nothing moves.
enum NoiseMeter {
    /// Rows of tiles that are looked at: each of this many.
    private static let rowStep = 2

    /// The model for a plane of a picture.
    ///
    /// - Parameters:
    ///   - others: Pictures of the same scene, and where the reference's tiles lie in them.
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
                    // Chroma that would have to be interpolated has less noise.
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

    /// - Returns: `nil` for a block that is clipped, whose noise is, too.
    @unsafe private static func block(
        _ a: UnsafePointer<Int16>, _ strideA: Int, _ b: UnsafePointer<Int16>, _ strideB: Int
    ) -> NoiseModel.Block? {
        // Eight squares of 14 bits fit 32.
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
        // The whole block's change is its light's, not noise's: a fade must not count as noise.
        let energy = (SIMD8<Float>(squares).sum() / 64 - mean * mean) * (64.0 / 63)
        return NoiseModel.Block(level: level, energy: energy, cells: inCells, mean: mean * mean * 64)
    }
}

/// How much noise fusion left, tile by tile, and how much there was.
struct NoiseLeft: Sendable {
    /// Tiles across and down, each half over the next; the first lies half beyond the picture.
    let columns, rows: Int
    let luma, cb, cr: NoiseModel
    /// The share of the reference's variance that is left, row after row.
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

    /// The share at a place of the luma plane, which four tiles lie over: that of the noisiest.
    func share(atX x: Int, y: Int) -> Float {
        let (column, row) = (min(max(x >> 3, 0), columns - 2), min(max(y >> 3, 0), rows - 2))
        let at = row * columns + column
        return max(max(shares[at], shares[at + 1]), max(shares[at + columns], shares[at + columns + 1]))
    }

    var mean: Float { shares.isEmpty ? 1 : shares.reduce(0, +) / Float(shares.count) }

    /// How much of the picture has more than a share left.
    func share(above limit: Float) -> Float {
        shares.isEmpty ? 0 : Float(shares.count { $0 > limit }) / Float(shares.count)
    }
}
