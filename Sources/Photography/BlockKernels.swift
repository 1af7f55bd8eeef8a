/// The inner loops of merging blocks. Differences are signed, and contiguous row after row.
enum BlockKernels {
    /// Subtracts the reference's block from another picture's.
    ///
    /// - Parameters:
    ///   - width: 8 or 16.
    @inline(__always)
    @unsafe static func subtract(
        _ other: UnsafePointer<Int16>, _ otherStride: Int, _ own: UnsafePointer<Int16>, _ ownStride: Int,
        width: Int, height: Int, into result: UnsafeMutablePointer<Int16>
    ) {
        if width == 16 {
            for y in 0..<height {
                let a = unsafe UnsafeRawPointer(other + y * otherStride).loadUnaligned(as: SIMD16<Int16>.self)
                let b = unsafe UnsafeRawPointer(own + y * ownStride).loadUnaligned(as: SIMD16<Int16>.self)
                unsafe UnsafeMutableRawPointer(result + y * 16).storeBytes(of: a &- b, as: SIMD16<Int16>.self)
            }
        } else {
            for y in 0..<height {
                let a = unsafe UnsafeRawPointer(other + y * otherStride).loadUnaligned(as: SIMD8<Int16>.self)
                let b = unsafe UnsafeRawPointer(own + y * ownStride).loadUnaligned(as: SIMD8<Int16>.self)
                unsafe UnsafeMutableRawPointer(result + y * 8).storeBytes(of: a &- b, as: SIMD8<Int16>.self)
            }
        }
    }

    /// Subtracts the reference's block from a block at half a sample, whose values are the means of two or four samples.
    ///
    /// - Parameters:
    ///   - across, down: 1 if the block is half a sample further in that direction, else 0.
    @unsafe static func subtractBetween(
        _ other: UnsafePointer<Int16>, _ otherStride: Int, across: Int, down: Int, _ own: UnsafePointer<Int16>,
        _ ownStride: Int, width: Int, height: Int, into result: UnsafeMutablePointer<Int16>
    ) {
        for y in 0..<height {
            let upper = unsafe other + y * otherStride, lower = unsafe upper + down * otherStride
            let row = unsafe own + y * ownStride
            for x in 0..<width {
                let above = unsafe Int32(upper[x]) &+ Int32(upper[x + across])
                let below = unsafe Int32(lower[x]) &+ Int32(lower[x + across])
                let value = Int16(truncatingIfNeeded: (above &+ below &+ 2) &>> 2)
                unsafe result[y * width + x] = value &- row[x]
            }
        }
    }

    /// The limit of a difference in ``energies``, in steps: sixteen squares of it fit 16 bits.
    static let limit: Int16 = 63

    /// Computes the sums of squares of cells of 4 by 4 differences, in steps of 2^shift.
    ///
    /// - Parameters:
    ///   - cells: Receives the sum of each cell, row after row.
    @inline(__always)
    @unsafe static func energies(
        _ differences: UnsafePointer<Int16>, width: Int, height: Int, shift: Int16,
        into cells: UnsafeMutablePointer<UInt16>
    ) {
        let columns = width / 4
        for band in 0..<height / 4 {
            if width == 16 {
                var sum = SIMD16<Int16>.zero
                for y in 0..<4 {
                    let row = unsafe UnsafeRawPointer(differences + (band * 4 + y) * 16)
                    let step = clamped(unsafe row.loadUnaligned(as: SIMD16<Int16>.self) &>> shift)
                    sum &+= step &* step
                }
                let pairs = sum.evenHalf &+ sum.oddHalf
                let fours = pairs.evenHalf &+ pairs.oddHalf
                for cell in 0..<4 { unsafe cells[band * columns + cell] = UInt16(bitPattern: fours[cell]) }
            } else {
                var sum = SIMD8<Int16>.zero
                for y in 0..<4 {
                    let row = unsafe UnsafeRawPointer(differences + (band * 4 + y) * 8)
                    let step = clamped(unsafe row.loadUnaligned(as: SIMD8<Int16>.self) &>> shift)
                    sum &+= step &* step
                }
                let pairs = sum.evenHalf &+ sum.oddHalf
                let twos = pairs.evenHalf &+ pairs.oddHalf
                for cell in 0..<2 { unsafe cells[band * columns + cell] = UInt16(bitPattern: twos[cell]) }
            }
        }
    }

    /// Limits the steps with operations on signs, because the compiler does not vectorise comparisons.
    @inline(__always)
    private static func clamped(_ step: SIMD16<Int16>) -> SIMD16<Int16> {
        let beyond = step &- limit
        let capped = (beyond & (beyond &>> 15)) &+ limit
        let below = capped &+ limit
        return (below & ~(below &>> 15)) &- limit
    }

    @inline(__always)
    private static func clamped(_ step: SIMD8<Int16>) -> SIMD8<Int16> {
        let beyond = step &- limit
        let capped = (beyond & (beyond &>> 15)) &+ limit
        let below = capped &+ limit
        return (below & ~(below &>> 15)) &- limit
    }

    /// Computes the weighted sum of differences from several pictures.
    ///
    /// - Parameters:
    ///   - differences: 256 places for each picture.
    ///   - weights: One for each picture, in steps of 2⁻¹⁵.
    ///   - samples: The number of a picture's samples that count; a multiple of 8.
    @inline(__always)
    @unsafe static func combine(
        _ differences: UnsafePointer<Int16>, weights: UnsafePointer<Int16>, pictures: Int, samples: Int,
        into sum: UnsafeMutablePointer<Int16>
    ) {
        for at in stride(from: 0, to: samples, by: 8) {
            var total = SIMD8<Int16>.zero
            for index in 0..<pictures {
                let place = unsafe UnsafeRawPointer(differences + index * 256 + at)
                // The product with a weight in steps of 2⁻¹⁵ is shifted by 16 bits, so the difference is doubled. It
                // has 15 bits, so this fits.
                let doubled = unsafe place.loadUnaligned(as: SIMD8<Int16>.self) &<< 1
                total &+= highHalf(doubled, SIMD8(repeating: unsafe weights[index]))
            }
            unsafe UnsafeMutableRawPointer(sum + at).storeBytes(of: total, as: SIMD8<Int16>.self)
        }
    }

    /// Returns the upper 16 bits of products.
    @inline(__always)
    private static func highHalf(_ a: SIMD8<Int16>, _ b: SIMD8<Int16>) -> SIMD8<Int16> {
        SIMD8(truncatingIfNeeded: (SIMD8<Int32>(truncatingIfNeeded: a) &* SIMD8<Int32>(truncatingIfNeeded: b)) &>> 16)
    }

    /// Adds a block to the picture: the reference plus the changes, weighted by the window.
    @inline(__always)
    @unsafe static func put(
        _ own: UnsafePointer<Int16>, _ ownStride: Int, _ change: UnsafePointer<Int16>, _ window: BlockWindow,
        into target: UnsafeMutablePointer<Int16>, _ targetStride: Int
    ) {
        // Loops of a known length are vectorised.
        if window.width == 16 {
            unsafe put(own, ownStride, change, window, width: 16, into: target, targetStride)
        } else {
            unsafe put(own, ownStride, change, window, width: 8, into: target, targetStride)
        }
    }

    @inline(__always)
    @unsafe private static func put(
        _ own: UnsafePointer<Int16>, _ ownStride: Int, _ change: UnsafePointer<Int16>, _ window: BlockWindow,
        width: Int, into target: UnsafeMutablePointer<Int16>, _ targetStride: Int
    ) {
        let weights = unsafe window.weights
        for y in 0..<window.height {
            let row = unsafe own + y * ownStride, to = unsafe target + y * targetStride
            let changes = unsafe change + y * width, weight = unsafe weights + y * width
            for x in 0..<width {
                // The weights in a change are rounded down, so a black sample may become negative.
                let sum = unsafe row[x] &+ changes[x]
                let value = UInt32(UInt16(bitPattern: sum < 0 ? 0 : sum))
                let share = unsafe (value &* UInt32(weight[x])) &>> 16
                unsafe to[x] = to[x] &+ Int16(truncatingIfNeeded: share)
            }
        }
    }

    /// Computes the sums of a block's values in cells of 4 by 4.
    @inline(__always)
    @unsafe static func sums(
        _ values: UnsafePointer<Int16>, width: Int, height: Int, into cells: UnsafeMutablePointer<Int32>
    ) {
        let columns = width / 4
        for band in 0..<height / 4 {
            for cell in 0..<columns {
                var sum: Int32 = 0
                for y in 0..<4 {
                    let row = unsafe values + (band * 4 + y) * width + cell * 4
                    for x in 0..<4 { sum &+= unsafe Int32(row[x]) }
                }
                unsafe cells[band * columns + cell] = sum
            }
        }
    }
}
