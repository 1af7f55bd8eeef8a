/// Adds what a slight blur takes away, where that is more than noise.
struct Sharpener {
    let amount: Float
    /// The most that is added or taken away, in codes of 8 bits: edges get no halo.
    private static let most: Float = 14
    /// Detail of fewer deviations of noise is not made stronger.
    private static let core: Float = 2
    /// The noise that is assumed where nobody knows, in codes of 8 bits.
    private static let usual: Float = 1.5

    /// Changes a plane of luma.
    func apply(to plane: SamplePlane, noise: NoiseLeft?) {
        let (width, height) = (plane.width, plane.height)
        var above = [Int32](repeating: 0, count: width), here = above, below = above
        var detail = [Float](repeating: 0, count: width)
        Self.blur(plane, row: -1, into: &above)
        Self.blur(plane, row: 0, into: &here)
        let most = Self.most * NoiseModel.code
        // Rows above are read after they were changed unless they are kept.
        for y in 0..<height {
            Self.blur(plane, row: y + 1, into: &below)
            let row = unsafe plane.address(0, y)
            for x in 0..<width {
                let blurred = Float(above[x] &+ 2 &* here[x] &+ below[x]) * (1.0 / 16)
                detail[x] = unsafe Float(row[x]) - blurred
            }
            for start in stride(from: 0, to: width, by: 8) {
                let level = unsafe row[start]
                let variance: Float
                if let noise {
                    variance = noise.luma.variance(at: level) / 2 * noise.share(atX: start, y: y)
                } else {
                    variance = Self.usual * Self.usual * NoiseModel.code * NoiseModel.code
                }
                let core = Self.core * variance.squareRoot()
                for x in start..<min(start + 8, width) {
                    let size = abs(detail[x])
                    var change = size > core ? (size - core) * amount : 0
                    change = change > most ? most : change
                    let value = unsafe Float(row[x]) + (detail[x] < 0 ? -change : change)
                    unsafe row[x] = FixedSample.rounded(value)
                }
            }
            (above, here, below) = (here, below, above)
        }
        plane.repeatEdges()
    }

    /// A row's samples with their neighbours, in weights of 1, 2 and 1.
    private static func blur(_ plane: SamplePlane, row: Int, into sums: inout [Int32]) {
        let samples = unsafe UnsafePointer(plane.address(0, row))
        for x in sums.indices {
            sums[x] = unsafe Int32(samples[x - 1]) &+ 2 &* Int32(samples[x]) &+ Int32(samples[x + 1])
        }
    }
}
