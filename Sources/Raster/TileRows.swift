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

    /// Adds two lights of different shape and colour, up to white.
    static func add(
        _ channel: borrowing TilePlane, _ start: Int, _ count: Int, weights: borrowing TilePlane,
        _ value: UInt16, and others: borrowing TilePlane, _ other: UInt16
    ) {
        let n = rounded(count)
        let row = unsafe channel.samples(from: start, n)
        let weight = unsafe weights.samples(from: 0, n)
        let second = unsafe others.samples(from: 0, n)
        for i in 0..<n {
            let sum = unsafe row[i] &+ high(weight[i], value) &+ high(second[i], other)
            unsafe row[i] = capped(sum)
        }
    }

    /// Interpolates between points that are 2 or 4 pixels apart (`shift` 1 or 2); what
    /// rounding the row up adds becomes 0.
    static func stretch(
        _ points: borrowing TilePlane, _ shift: Int, into target: borrowing TilePlane, _ count: Int
    ) {
        let groups = (count &+ (1 << shift) &- 1) >> shift
        let n = rounded(count)
        let from = unsafe points.samples(from: 0, groups &+ 1)
        let out = unsafe target.samples(from: 0, n)
        if shift == 1 {
            for k in 0..<groups {
                unsafe out[2 &* k] = from[k]
                unsafe out[2 &* k &+ 1] = (from[k] &>> 1) &+ (from[k &+ 1] &>> 1)
            }
        } else {
            for k in 0..<groups {
                let (a, b) = unsafe (from[k] &>> 2, from[k &+ 1] &>> 2)
                unsafe out[4 &* k] = a &* 4
                unsafe out[4 &* k &+ 1] = a &* 3 &+ b
                unsafe out[4 &* k &+ 2] = a &* 2 &+ b &* 2
                unsafe out[4 &* k &+ 3] = a &+ b &* 3
            }
        }
        for i in count..<n { unsafe out[i] = 0 }
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
