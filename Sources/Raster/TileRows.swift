/// The arithmetic of one channel's row: 1 is 2¹⁴ and weights have 16 bits.
///
/// (x · y) >> 16 of 16-bit values is a single vector instruction everywhere.
/// Rows are rounded up to whole vectors; beyond a shape's end its weights are 0,
/// and weight 0 leaves a sample exactly as it is.
enum TileRows {
    /// Samples are processed in groups of this many.
    static let group = 16

    @inline(__always)
    static func rounded(_ count: Int) -> Int { (count &+ (group - 1)) & ~(group - 1) }

    @inline(__always)
    static func high(_ x: UInt16, _ y: UInt16) -> UInt16 {
        UInt16(truncatingIfNeeded: (UInt32(x) &* UInt32(y)) &>> 16)
    }

    /// The lesser of 1 and x ≤ 2, by sign bits: a comparison became a branch and kept the
    /// loops scalar (measured: five times slower).
    @inline(__always)
    static func capped(_ x: UInt16) -> UInt16 {
        let beyond = UInt16(bitPattern: Int16(bitPattern: TileCanvas.one &- x) &>> 15)
        return (x & ~beyond) | (TileCanvas.one & beyond)
    }

    /// Adds light, up to white.
    static func add(
        _ channel: borrowing TilePlane, _ start: Int, _ count: Int, weights: borrowing TilePlane,
        _ value: UInt16
    ) {
        let n = rounded(count)
        let row = unsafe channel.samples(from: start, n)
        let weight = unsafe weights.samples(from: 0, n)
        for i in 0..<n {
            let sum = unsafe row[i] &+ high(weight[i], value)
            unsafe row[i] = capped(sum)
        }
    }

    /// Lays a premultiplied value over what is there: s + d·(1 − α).
    static func over(
        _ channel: borrowing TilePlane, _ start: Int, _ count: Int, weights: borrowing TilePlane,
        _ value: UInt16, _ alpha: UInt16
    ) {
        let n = rounded(count)
        let row = unsafe channel.samples(from: start, n)
        let weight = unsafe weights.samples(from: 0, n)
        for i in 0..<n {
            let through = unsafe (TileCanvas.one &- high(weight[i], alpha)) &<< 1
            let sum = unsafe high(row[i] &<< 1, through) &+ high(weight[i], value)
            unsafe row[i] = capped(sum)
        }
    }

    /// Lays values over what is there, each with an alpha of its own; both are scaled.
    static func over(
        _ channel: borrowing TilePlane, _ start: Int, _ count: Int, values: borrowing TilePlane,
        _ valueScale: UInt16, alphas: borrowing TilePlane, _ alphaScale: UInt16
    ) {
        let n = rounded(count)
        let row = unsafe channel.samples(from: start, n)
        let value = unsafe values.samples(from: 0, n)
        let alpha = unsafe alphas.samples(from: 0, n)
        for i in 0..<n {
            let through = unsafe (TileCanvas.one &- high(alpha[i], alphaScale)) &<< 1
            let sum = unsafe high(row[i] &<< 1, through) &+ high(value[i], valueScale)
            unsafe row[i] = capped(sum)
        }
    }

    /// Means of neighbours, from a row and the one `below` samples further on, at half the
    /// width (`shift` 1) or the same.
    static func average(
        _ source: borrowing TilePlane, from: Int, below: Int, into target: borrowing TilePlane,
        at: Int, count: Int, shift: Int
    ) {
        let upper = unsafe source.samples(from: from, count << shift)
        let lower = unsafe source.samples(from: from + below, count << shift)
        let out = unsafe target.samples(from: at, count)
        if shift == 1 {
            for i in 0..<count {
                let left = unsafe (upper[2 &* i] &+ lower[2 &* i]) &>> 1
                let right = unsafe (upper[2 &* i &+ 1] &+ lower[2 &* i &+ 1]) &>> 1
                unsafe out[i] = (left &+ right) &>> 1
            }
        } else {
            for i in 0..<count { unsafe out[i] = (upper[i] &+ lower[i]) &>> 1 }
        }
    }
}
