/// How much two blocks of 16 by 16 samples differ.
enum BlockDistance {
    /// The sum of absolute differences, in steps of 1/4 of a code of 8 bits; at most 2¹⁸.
    ///
    /// - Precondition: both blocks lie within their planes' memory.
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
            // 10 bits, sixteen of which fit.
            sum &+= ((difference ^ sign) &- sign) &>> 4
        }
        // Two lanes still fit where signs do not count.
        let pairs = SIMD8<UInt16>(truncatingIfNeeded: sum.evenHalf) &+ SIMD8<UInt16>(truncatingIfNeeded: sum.oddHalf)
        var total: UInt32 = 0
        for lane in 0..<8 { total &+= UInt32(pairs[lane]) }
        return Int32(truncatingIfNeeded: total)
    }
}
