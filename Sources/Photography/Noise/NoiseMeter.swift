import Raster

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
