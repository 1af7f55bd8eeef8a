/// Merges the blocks of one plane, one after the other: the reference's block and the blocks of other pictures, each
/// weighted by its agreement with the reference's.
///
/// A picture's weight follows from the differences of its block from the reference's. Differences beyond noise are
/// motion. If all other pictures contain the same motion, averaging them does not reduce it. For noise of variance σ²
/// and an excess e, the mean square of the differences is 2σ² (1 + e). The weight is 1 / (1 + 2e (n − 1)), which
/// minimises the mean square error for n pictures with a common error. Differences are measured in the whole block, in
/// its quarters and in cells of 4 by 4. The greatest excess counts, so that a small moving object is not averaged with
/// a large still one.
///
/// Used by one thread at a time.
@safe
final class PlaneMerger {
    let width, height: Int
    private let noise: NoiseModel
    private let window: BlockWindow
    /// The maximum number of pictures in addition to the reference.
    private let maximum: Int
    /// The differences of each picture's block from the reference's, 256 places for each picture.
    private let differences: KernelMemory<Int16>
    /// The weighted sum of the differences, which is added to the reference's block.
    private let change = KernelMemory<Int16>(repeating: 0, count: 256)
    /// The weight of each picture, in steps of 2⁻¹⁵.
    private let shares: KernelMemory<Int16>
    private let energies = KernelMemory<UInt16>(repeating: 0, count: 16)
    private let cellSums = KernelMemory<Int32>(repeating: 0, count: 16)
    /// Differences are squared in steps of 2^`shift`, so that sums of squares fit 16 bits. `square` is the square of a
    /// step.
    private let shift: Int16
    private let square: Float
    /// The limits of noise for cells, quarters and the whole block, as multiples of its expected variance: three
    /// standard deviations above the mean, and two for the whole block.
    private let cellLimit, quarterLimit, wholeLimit: Float

    /// - Parameters:
    ///   - width, height: The size of a block: 8 or 16.
    ///   - pictures: The number of pictures in addition to the reference.
    init(width: Int, height: Int, noise: NoiseModel, pictures: Int) {
        (self.width, self.height, self.noise) = (width, height, noise)
        maximum = pictures
        window = BlockWindow(width: width, height: height)
        differences = KernelMemory(repeating: 0, count: 256 * max(pictures, 1))
        shares = KernelMemory(repeating: 0, count: max(pictures, 1))
        // The step is chosen so that usual noise spans about a dozen steps.
        let usual = noise.variances.sorted()[NoiseModel.bins / 2].squareRoot()
        var shift: Int16 = 0
        while usual / Float(1 << Int(shift + 1)) >= 12 { shift += 1 }
        self.shift = shift
        square = Float(1 << (2 * Int(shift)))
        let correlation = noise.cellCorrelation.squareRoot()
        cellLimit = 1 + 3 * (2.0 / 16 as Float).squareRoot() * correlation
        quarterLimit = 1 + 3 * (2.0 / 64 as Float).squareRoot() * correlation
        wholeLimit = 1 + 2 * (2.0 / 256 as Float).squareRoot() * correlation
    }

    /// Returns the mean of a block's samples.
    func level(of plane: SamplePlane, _ x: Int, _ y: Int) -> Int16 {
        let own = unsafe UnsafePointer(plane.address(x, y))
        var sum: Int32 = 0
        for row in 0..<height {
            let samples = unsafe own + row * plane.stride
            for column in 0..<width { sum &+= unsafe Int32(samples[column]) }
        }
        return Int16(truncatingIfNeeded: Int(sum) / (width * height))
    }

    /// Reads a block of another picture, and returns its weight.
    ///
    /// - Parameters:
    ///   - x, y: The block's place in the reference.
    ///   - u, v: Its place in the other picture, in halves of a sample.
    /// - Returns: the weight, 0…1; 0 for a block that differs by motion.
    func read(
        _ index: Int, of other: SamplePlane, u: Int, v: Int, reference own: SamplePlane, _ x: Int, _ y: Int,
        level: Int16
    ) -> Float {
        let result = unsafe differences.address + index * 256
        let (column, row) = (other.column(u >> 1, width: width + 1), other.row(v >> 1, height: height + 1))
        let theirs = unsafe UnsafePointer(other.address(column, row)), mine = unsafe UnsafePointer(own.address(x, y))
        if u & 1 | v & 1 == 0 {
            unsafe BlockKernels.subtract(
                theirs, other.stride, mine, own.stride, width: width, height: height, into: result)
        } else {
            unsafe BlockKernels.subtractBetween(
                theirs, other.stride, across: u & 1, down: v & 1, mine, own.stride, width: width, height: height,
                into: result)
        }
        unsafe BlockKernels.energies(result, width: width, height: height, shift: shift, into: energies.address)
        return weight(excess(level))
    }

    /// Returns the excess of the differences' mean square over that of noise, as a multiple of the latter; at least 0.
    private func excess(_ level: Int16) -> Float {
        let columns = width / 4, rows = height / 4, energies = unsafe energies.address
        var (total, greatestCell, greatestQuarter): (UInt32, UInt32, UInt32) = (0, 0, 0)
        for row in stride(from: 0, to: rows, by: 2) {
            for column in stride(from: 0, to: columns, by: 2) {
                let at = row * columns + column
                let (a, b) = unsafe (UInt32(energies[at]), UInt32(energies[at + 1]))
                let (c, d) = unsafe (UInt32(energies[at + columns]), UInt32(energies[at + columns + 1]))
                let quarter = a + b + c + d
                total += quarter
                greatestQuarter = max(greatestQuarter, quarter)
                greatestCell = max(greatestCell, max(max(a, b), max(c, d)))
            }
        }
        let expected = noise.variance(at: level) / square
        let whole = Float(total) / (Float(width * height) * expected) - wholeLimit
        let quarter = Float(greatestQuarter) / (64 * expected) - quarterLimit
        let cell = Float(greatestCell) / (16 * expected) - cellLimit
        return max(max(whole, quarter), max(cell / 2, 0))
    }

    private func weight(_ excess: Float) -> Float {
        let weight = 1 / (1 + 2 * excess * Float(max(maximum - 1, 1)))
        return weight < 0.02 ? 0 : weight
    }

    /// Merges the blocks that were read, and adds the result to a picture.
    ///
    /// - Parameters:
    ///   - weights: The weight of each picture relative to the reference's 1.
    ///   - restraint: The maximum share of the change to apply, 0…1.
    /// - Returns: The remaining noise, as a share of the reference's variance, and the share of the change that was
    ///   applied.
    func merge(
        _ weights: [Float], count: Int, restraint: Float, reference own: SamplePlane, _ x: Int, _ y: Int, level: Int16,
        into target: SamplePlane
    ) -> (noise: Float, share: Float) {
        var sum: Float = 1
        for index in 0..<count { sum += weights[index] }
        var (first, second): (Float, Float) = (0, 0)
        for index in 0..<count {
            let share = weights[index] / sum
            first += share
            second += share * share
            unsafe shares.address[index] = Int16(share * 32767)
        }
        unsafe BlockKernels.combine(
            differences.address, weights: shares.address, pictures: first > 0 ? count : 0, samples: width * height,
            into: change.address)
        var kept: Float = 1
        if first > 0 {
            kept = min(restraint, plausible(variance: noise.variance(at: level) / 2 * (second + first * first)))
            if kept < 1 { reduce(kept) }
        }
        unsafe BlockKernels.put(
            own.address(x, y), own.stride, change.address, window, into: target.address(x, y), target.stride)
        let rest = 1 - kept * first
        return (rest * rest + kept * kept * second, kept)
    }

    /// Returns the share of a change that may be removed noise. Parts of a block that change together are not noise.
    ///
    /// - Parameter variance: The variance of the change that removing noise causes.
    private func plausible(variance: Float) -> Float {
        let cellSums = unsafe cellSums.address
        unsafe BlockKernels.sums(change.address, width: width, height: height, into: cellSums)
        let columns = width / 4, rows = height / 4
        var (cell, quarter): (Float, Float) = (0, 0)
        for row in stride(from: 0, to: rows, by: 2) {
            for column in stride(from: 0, to: columns, by: 2) {
                let at = row * columns + column
                let (a, b) = unsafe (Float(cellSums[at]), Float(cellSums[at + 1]))
                let (c, d) = unsafe (Float(cellSums[at + columns]), Float(cellSums[at + columns + 1]))
                cell = max(cell, max(max(a * a, b * b), max(c * c, d * d)))
                quarter = max(quarter, (a + b + c + d) * (a + b + c + d))
            }
        }
        // The greatest squares of the sums over a cell and over a quarter, relative to the variance of these sums for
        // noise alone. A deviation of three standard deviations is rare in both.
        let ratio = max(
            cell / (16 * variance * noise.cellCorrelation), quarter / (64 * variance * noise.blockCorrelation))
        return ratio > Self.rare ? Self.rare / ratio : 1
    }

    /// The ratio above which a change is more than noise: the square of about three standard deviations.
    private static let rare: Float = 10

    private func reduce(_ share: Float) {
        let factor = Int32(share * 32767), change = unsafe change.address
        for index in 0..<width * height {
            unsafe change[index] = unsafe Int16(truncatingIfNeeded: (Int32(change[index] &<< 1) &* factor) &>> 16)
        }
    }
}
