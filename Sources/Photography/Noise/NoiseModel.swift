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
