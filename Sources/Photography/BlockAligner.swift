/// Finds the displacement of each block of the reference in another picture, from coarse to fine.
///
/// The motion of the whole picture is searched at its smallest size. Then each block's motion is searched at every size,
/// around the results for the coarser blocks (S. W. Hasinoff and others, "Burst photography for high dynamic range and
/// low-light imaging on mobile cameras", 2016, section 4). A vector that differs from the expected one has a cost, so
/// that noise causes no motion.
struct BlockAligner {
    /// The search range of the whole picture at its smallest size, in samples of that size.
    private static let globalReach = 6
    /// The search range of blocks around the expected vector, in samples: at smaller sizes, and at full size.
    private static let reach = 2, lastReach = 1
    /// The cost of a step away from the expected vector, in ``BlockDistance`` for a block: 1/8 of a code for each
    /// sample.
    private static let stepCost: Int32 = 128
    /// The limit, as a multiple of the stillest blocks' difference, up to which a block is not searched, because its
    /// difference is noise.
    private static let still = 1.25
    /// The quantile of the blocks' differences that counts as still.
    private static let stillShare = 0.2

    let reference: FusionPicture

    /// - Returns: The displacement in `other` of each block of the reference.
    func motion(in other: FusionPicture) -> MotionField {
        let top = reference.pyramid.count
        var field = MotionField(columns: 1, rows: 1, vector: globalMotion(in: other, level: top))
        if top == 0 { return refined(field, in: other, level: 0, doubles: false) }
        for level in stride(from: top - 1, through: 0, by: -1) {
            field = refined(field, in: other, level: level, doubles: true)
        }
        return field
    }

    /// Returns the motion of the whole picture, at one of its sizes.
    private func globalMotion(in other: FusionPicture, level: Int) -> SIMD2<Int32> {
        let (a, b) = (reference.level(level), other.level(level))
        let reach = min(Self.globalReach, SamplePlane.margin, min(a.width, a.height) / 4)
        var (best, minimum) = (SIMD2<Int32>.zero, Int64.max)
        for dy in -reach...reach {
            for dx in -reach...reach {
                var sum: Int64 = 0
                for y in stride(from: 0, to: a.paddedHeight, by: 16) {
                    for x in stride(from: 0, to: a.paddedWidth, by: 16) {
                        sum += Int64(distance(a, x, y, b, x + dx, y + dy))
                    }
                }
                let blocks = Int64(a.paddedHeight / 16 * (a.paddedWidth / 16))
                sum += Int64(abs(dx) + abs(dy)) * Int64(Self.stepCost) * blocks / 4
                if sum < minimum { (minimum, best) = (sum, SIMD2(Int32(dx), Int32(dy))) }
            }
        }
        return best
    }

    /// Returns the motion of blocks at one size of the pictures, from the motion at half that size.
    private func refined(
        _ coarse: MotionField, in other: FusionPicture, level: Int, doubles: Bool
    ) -> MotionField {
        let (a, b) = (reference.level(level), other.level(level))
        var field = MotionField(columns: a.paddedWidth / 16, rows: a.paddedHeight / 16)
        let factor: Int32 = doubles ? 2 : 1
        var costs = [Int32](repeating: 0, count: field.columns * field.rows)
        for row in 0..<field.rows {
            for column in 0..<field.columns {
                let (vector, cost) = expected(coarse, factor, column, row, field, a, b)
                field[column, row] = vector
                costs[row * field.columns + column] = cost
            }
        }
        let sorted = costs.sorted()
        let still = Double(sorted[Int(Double(sorted.count - 1) * Self.stillShare)]) * Self.still + 64
        let reach = level == 0 ? Self.lastReach : Self.reach
        for row in 0..<field.rows {
            for column in 0..<field.columns where Double(costs[row * field.columns + column]) > still {
                field[column, row] = searched(
                    around: field[column, row], costs[row * field.columns + column], column, row, reach, a, b)
            }
        }
        return field
    }

    /// Returns the best of the vectors of the coarser blocks and of no motion, and its cost.
    private func expected(
        _ coarse: MotionField, _ factor: Int32, _ column: Int, _ row: Int, _ field: MotionField, _ a: SamplePlane,
        _ b: SamplePlane
    ) -> (SIMD2<Int32>, Int32) {
        let (x, y) = (column * 16, row * 16)
        // The coarser block that contains this one, and its nearest neighbours.
        let (i, j) = (
            column * coarse.columns / max(field.columns, 1), row * coarse.rows / max(field.rows, 1)
        )
        let own = coarse[i, j] &* factor
        var best = own
        var minimum = distance(a, x, y, b, x + Int(own.x), y + Int(own.y))
        let candidates: InlineArray<3, SIMD2<Int32>> = [
            .zero, coarse[i + (column % 2 == 0 ? -1 : 1), j] &* factor,
            coarse[i, j + (row % 2 == 0 ? -1 : 1)] &* factor,
        ]
        for index in candidates.indices {
            let candidate = candidates[index]
            if candidate == own || candidate == best { continue }
            let cost = distance(a, x, y, b, x + Int(candidate.x), y + Int(candidate.y)) + Self.stepCost
            if cost < minimum { (best, minimum) = (candidate, cost) }
        }
        return (best, minimum)
    }

    /// Returns the best vector within a search range around another.
    private func searched(
        around centre: SIMD2<Int32>, _ cost: Int32, _ column: Int, _ row: Int, _ reach: Int, _ a: SamplePlane,
        _ b: SamplePlane
    ) -> SIMD2<Int32> {
        var (best, minimum) = (centre, cost)
        for dy in -reach...reach {
            for dx in -reach...reach where dx != 0 || dy != 0 {
                let vector = centre &+ SIMD2(Int32(dx), Int32(dy))
                let (x, y) = (column * 16, row * 16)
                let cost =
                    distance(a, x, y, b, x + Int(vector.x), y + Int(vector.y))
                    + Int32(abs(dx) + abs(dy)) * Self.stepCost
                if cost < minimum { (best, minimum) = (vector, cost) }
            }
        }
        return best
    }

    @inline(__always)
    private func distance(_ a: SamplePlane, _ x: Int, _ y: Int, _ b: SamplePlane, _ u: Int, _ v: Int) -> Int32 {
        unsafe BlockDistance.absolute(
            a.address(x, y), a.stride, b.address(b.column(u, width: 16), b.row(v, height: 16)), b.stride)
    }
}

/// The displacement of each block of a picture in another one, in samples.
struct MotionField {
    /// The number of blocks across and down.
    let columns, rows: Int
    /// The place in the other picture minus the place in this one, row after row.
    private(set) var vectors: [SIMD2<Int32>]

    init(columns: Int, rows: Int, vector: SIMD2<Int32> = .zero) {
        (self.columns, self.rows) = (columns, rows)
        vectors = [SIMD2<Int32>](repeating: vector, count: columns * rows)
    }

    /// Returns the vector of a block, or of the nearest one.
    @inline(__always)
    subscript(column: Int, row: Int) -> SIMD2<Int32> {
        get { vectors[min(max(row, 0), rows - 1) * columns + min(max(column, 0), columns - 1)] }
        set { vectors[row * columns + column] = newValue }
    }
}

/// The difference of two blocks of 16 by 16 samples.
enum BlockDistance {
    /// Returns the sum of absolute differences, in steps of 1/4 of a code of 8 bits; at most 2¹⁸.
    ///
    /// - Precondition: Both blocks lie within their planes' memory.
    @inline(__always)
    @unsafe static func absolute(
        _ a: UnsafePointer<Int16>, _ strideA: Int, _ b: UnsafePointer<Int16>, _ strideB: Int
    ) -> Int32 {
        var sum = SIMD16<Int16>.zero
        for y in 0..<16 {
            let p = unsafe UnsafeRawPointer(a + y * strideA).loadUnaligned(as: SIMD16<Int16>.self)
            let q = unsafe UnsafeRawPointer(b + y * strideB).loadUnaligned(as: SIMD16<Int16>.self)
            let difference = p &- q
            // The sign in all bits: with it, −d is (d ^ sign) − sign.
            let sign = difference &>> 15
            // Reduces to 10 bits, so that sixteen values can be summed.
            sum &+= ((difference ^ sign) &- sign) &>> 4
        }
        // Two lanes still fit as unsigned values.
        let pairs = SIMD8<UInt16>(truncatingIfNeeded: sum.evenHalf) &+ SIMD8<UInt16>(truncatingIfNeeded: sum.oddHalf)
        var total: UInt32 = 0
        for lane in 0..<8 { total &+= UInt32(pairs[lane]) }
        return Int32(truncatingIfNeeded: total)
    }
}
