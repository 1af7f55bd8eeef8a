import Raster

/// Merges all blocks of the reference with the blocks of other pictures that are aligned to it. ``FrameFusion`` runs it.
struct BlockMerge {
    let reference: FusionPicture
    let others: [(picture: FusionPicture, motion: MotionField)]
    private let lumaNoise, cbNoise, crNoise: NoiseModel
    /// The number of blocks across and down; they overlap by half.
    private let columns, rows: Int
    /// Luma samples from one block to the next.
    private static let step = FusionPicture.block / 2
    /// The number of neighbours in time from which noise is measured.
    private static let neighbours = 4
    /// The remaining share of the noise's variance above which a block counts as moving, because motion prevents
    /// merging.
    private static let moving: Float = 0.75

    init(reference: FusionPicture, others: [(picture: FusionPicture, motion: MotionField)]) {
        (self.reference, self.others) = (reference, others)
        columns = reference.luma.paddedWidth / Self.step + 1
        rows = reference.luma.paddedHeight / Self.step + 1
        let near = Array(others.prefix(Self.neighbours))
        lumaNoise = NoiseMeter.model(of: .luma, reference: reference, others: near)
        cbNoise = NoiseMeter.model(of: .cb, reference: reference, others: near)
        crNoise = NoiseMeter.model(of: .cr, reference: reference, others: near)
    }

    /// - Returns: The statistics, except for the number of pictures, and the noise that remains.
    func run(into result: FusionPicture) -> (report: FrameFusion.Report, left: ResidualNoise) {
        // Compensates rounding: a sample is the sum of four overlapping blocks, each of which is rounded down.
        for plane in Plane.allCases { result.plane(plane).fill(2) }
        let chroma = reference.format.chroma
        let (chromaWidth, chromaHeight) = (16 >> chroma.shiftX, 16 >> chroma.shiftY)
        let count = others.count
        let luma = PlaneMerger(width: 16, height: 16, noise: lumaNoise, pictures: count)
        let cb = PlaneMerger(width: chromaWidth, height: chromaHeight, noise: cbNoise, pictures: count)
        let cr = PlaneMerger(width: chromaWidth, height: chromaHeight, noise: crNoise, pictures: count)
        var weights = [Float](repeating: 0, count: count), chromaWeights = weights
        var vectors = [SIMD2<Int32>](repeating: .zero, count: count)
        var left = ResidualNoise(columns: columns, rows: rows, luma: lumaNoise, cb: cbNoise, cr: crNoise)
        for row in 0..<rows {
            for column in 0..<columns {
                let (x, y) = ((column - 1) * Self.step, (row - 1) * Self.step)
                let level = luma.level(of: reference.luma, x, y)
                for index in 0..<count {
                    let vector = self.vector(index, x, y)
                    vectors[index] = vector
                    weights[index] = luma.read(
                        index, of: others[index].picture.luma, u: 2 * (x + Int(vector.x)), v: 2 * (y + Int(vector.y)),
                        reference: reference.luma, x, y, level: level)
                }
                let (noise, share) = luma.merge(
                    weights, count: count, restraint: 1, reference: reference.luma, x, y, level: level,
                    into: result.luma)
                left.set(column, row, noise)
                let (cx, cy) = (x >> chroma.shiftX, y >> chroma.shiftY)
                for (merger, plane) in [(cb, Plane.cb), (cr, Plane.cr)] {
                    let own = reference.plane(plane)
                    let level = merger.level(of: own, cx, cy)
                    for index in 0..<count {
                        chromaWeights[index] = 0
                        guard weights[index] > 0 else { continue }
                        let vector = vectors[index]
                        let own = merger.read(
                            index, of: others[index].picture.plane(plane),
                            u: (x + Int(vector.x)) * 2 >> chroma.shiftX, v: (y + Int(vector.y)) * 2 >> chroma.shiftY,
                            reference: own, cx, cy, level: level)
                        chromaWeights[index] = min(weights[index], own)
                    }
                    _ = merger.merge(
                        chromaWeights, count: count, restraint: share, reference: own, cx, cy, level: level,
                        into: result.plane(plane))
                }
            }
        }
        for plane in Plane.allCases { result.plane(plane).repeatEdges() }
        var report = FrameFusion.Report()
        report.noise = Double(lumaNoise.strength)
        report.noiseLeft = Double(left.mean)
        report.moving = Double(left.share(above: Self.moving))
        return (report, left)
    }

    /// Returns the displacement of a block in another picture, in samples: the best vector of the alignment blocks that
    /// the block overlaps.
    private func vector(_ index: Int, _ x: Int, _ y: Int) -> SIMD2<Int32> {
        let (other, field) = (others[index].picture.luma, others[index].motion)
        let (left, top) = (x >> 4, y >> 4), (right, bottom) = ((x + 15) >> 4, (y + 15) >> 4)
        let first = field[left, top]
        var (best, minimum) = (first, Int32.max)
        let more: InlineArray<3, SIMD2<Int32>> = [field[right, top], field[left, bottom], field[right, bottom]]
        for place in more.indices {
            let vector = more[place]
            if vector == first || vector == best { continue }
            if minimum == .max { minimum = distance(other, x, y, best) }
            let cost = distance(other, x, y, vector)
            if cost < minimum { (best, minimum) = (vector, cost) }
        }
        return best
    }

    private func distance(_ other: SamplePlane, _ x: Int, _ y: Int, _ vector: SIMD2<Int32>) -> Int32 {
        let own = reference.luma
        let (u, v) = (other.column(x + Int(vector.x), width: 16), other.row(y + Int(vector.y), height: 16))
        return unsafe BlockDistance.absolute(own.address(x, y), own.stride, other.address(u, v), other.stride)
    }
}

/// The window of a block's samples: a raised cosine across and down, so that blocks that overlap by half sum to 1.
@safe
final class BlockWindow {
    let width, height: Int
    /// The weights of a block's samples, row after row, in steps of 2⁻¹⁶.
    let weights: UnsafeMutablePointer<UInt16>

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        unsafe weights = .allocate(capacity: width * height)
        for y in 0..<height {
            for x in 0..<width {
                let weight = Self.cosine(x, width) * Self.cosine(y, height) * 65536
                unsafe (weights + y * width + x).initialize(to: UInt16(min(weight.rounded(), 65535)))
            }
        }
    }

    deinit { unsafe weights.deallocate() }

    /// Returns sin²(π (k + ½) / n) for the two sizes of blocks.
    private static func cosine(_ k: Int, _ n: Int) -> Double {
        let half = n / 2
        // Each table contains the rising half of a window. The falling half mirrors it.
        let sixteen = [
            0.009607359798384785, 0.08426519384872738, 0.22221488349019886, 0.40245483899193585, 0.5975451610080642,
            0.7777851165098011, 0.9157348061512727, 0.9903926402016152,
        ]
        let eight = [0.03806023374435663, 0.3086582838174551, 0.6913417161825449, 0.9619397662556434]
        let rising = k < half ? k : n - 1 - k
        return n == 16 ? sixteen[rising] : eight[rising]
    }
}
