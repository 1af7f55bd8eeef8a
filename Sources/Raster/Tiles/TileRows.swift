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
        let beyond = UInt16(bitPattern: Int16(bitPattern: TileGrid.one &- x) &>> 15)
        return (x & ~beyond) | (TileGrid.one & beyond)
    }

    /// Adds light of one colour, up to white.
    static func add(
        _ red: borrowing TilePlane, _ green: borrowing TilePlane, _ blue: borrowing TilePlane,
        _ start: Int, _ count: Int, weights: borrowing TilePlane, _ colour: TileColour
    ) {
        let n = rounded(count)
        let r = unsafe red.samples(from: start, n)
        let g = unsafe green.samples(from: start, n)
        let b = unsafe blue.samples(from: start, n)
        let weight = unsafe weights.samples(from: 0, n)
        let (cr, cg, cb) = (colour.red, colour.green, colour.blue)
        for i in 0..<n {
            let w = unsafe weight[i]
            unsafe r[i] = capped(r[i] &+ high(w, cr))
            unsafe g[i] = capped(g[i] &+ high(w, cg))
            unsafe b[i] = capped(b[i] &+ high(w, cb))
        }
    }

    /// Adds light to one channel, up to white.
    static func add(
        _ channel: borrowing TilePlane, _ start: Int, _ count: Int, weights: borrowing TilePlane, _ at: Int,
        _ value: UInt16
    ) {
        let n = rounded(count)
        let row = unsafe channel.samples(from: start, n)
        let weight = unsafe weights.samples(from: at, n)
        for i in 0..<n { unsafe row[i] = capped(row[i] &+ high(weight[i], value)) }
    }

    /// The sum of three channels by weights in shares of 2¹⁶.
    static func mix(
        _ red: borrowing TilePlane, _ green: borrowing TilePlane, _ blue: borrowing TilePlane, _ start: Int,
        _ count: Int, _ weights: (red: UInt16, green: UInt16, blue: UInt16), into target: borrowing TilePlane
    ) {
        let r = unsafe red.samples(from: start, count)
        let g = unsafe green.samples(from: start, count)
        let b = unsafe blue.samples(from: start, count)
        let out = unsafe target.samples(from: start, count)
        for i in 0..<count {
            unsafe out[i] = high(r[i], weights.red) &+ high(g[i], weights.green) &+ high(b[i], weights.blue)
        }
    }

    /// Picks every sample (`shift` 0) or every second one (1).
    static func every(
        _ source: borrowing TilePlane, _ start: Int, _ shift: Int, into target: borrowing TilePlane, _ count: Int
    ) {
        let from = unsafe source.samples(from: start, (count - 1) << shift + 1)
        let out = unsafe target.samples(from: 0, count)
        if shift == 0 {
            for i in 0..<count { unsafe out[i] = from[i] }
        } else {
            for i in 0..<count { unsafe out[i] = from[2 &* i] }
        }
    }

    /// Interpolates between points that are 2 pixels apart; what rounding the row up adds becomes 0.
    static func stretchTwofold(
        _ points: borrowing TilePlane, into target: borrowing TilePlane, _ count: Int
    ) {
        let groups = (count &+ 1) >> 1
        let n = rounded(count)
        let from = unsafe points.samples(from: 0, groups &+ 1)
        let out = unsafe target.samples(from: 0, n)
        for k in 0..<groups {
            unsafe out[2 &* k] = from[k]
            unsafe out[2 &* k &+ 1] = (from[k] &>> 1) &+ (from[k &+ 1] &>> 1)
        }
        for i in count..<n { unsafe out[i] = 0 }
    }

    /// Interpolates between points that are 4 pixels apart: from point `start` on, `count`
    /// pixels (a multiple of 4).
    static func stretchFourfold(
        _ points: borrowing TilePlane, from start: Int, into target: borrowing TilePlane, at: Int, _ count: Int
    ) {
        let groups = count >> 2
        let from = unsafe points.samples(from: start, groups &+ 1)
        let out = unsafe target.samples(from: at, count)
        for k in 0..<groups {
            let (a, b) = unsafe (from[k], from[k &+ 1])
            let middle = (a &>> 1) &+ (b &>> 1)
            unsafe out[4 &* k] = a
            unsafe out[4 &* k &+ 1] = (a &>> 1) &+ (middle &>> 1)
            unsafe out[4 &* k &+ 2] = middle
            unsafe out[4 &* k &+ 3] = (middle &>> 1) &+ (b &>> 1)
        }
    }

    /// A row between two: `part` quarters of the way from the first to the second.
    static func between(
        _ rows: borrowing TilePlane, _ upper: Int, _ lower: Int, _ part: Int,
        into target: borrowing TilePlane, at: Int, _ count: Int
    ) {
        let n = rounded(count)
        let first = unsafe rows.samples(from: upper, n)
        let second = unsafe rows.samples(from: lower, n)
        let out = unsafe target.samples(from: at, n)
        let weight = UInt16(part) << 14
        for i in 0..<n {
            let (a, b) = unsafe (first[i], second[i])
            unsafe out[i] = a &- high(a, weight) &+ high(b, weight)
        }
    }

    /// Lays a row of premultiplied values over what is there.
    static func over(
        _ channel: borrowing TilePlane, _ start: Int, _ count: Int, values: borrowing TilePlane,
        alphas: borrowing TilePlane, _ at: Int
    ) {
        let n = rounded(count)
        let row = unsafe channel.samples(from: start, n)
        let value = unsafe values.samples(from: 0, n)
        let alpha = unsafe alphas.samples(from: at, n)
        for i in 0..<n {
            let pass = unsafe (TileGrid.one &- alpha[i]) &<< 1
            unsafe row[i] = capped(high(row[i] &<< 1, pass) &+ value[i])
        }
    }

    /// Hides a row of alphas behind others.
    static func over(
        _ channel: borrowing TilePlane, _ start: Int, _ count: Int, alphas: borrowing TilePlane, _ at: Int
    ) {
        let n = rounded(count)
        let row = unsafe channel.samples(from: start, n)
        let alpha = unsafe alphas.samples(from: at, n)
        for i in 0..<n {
            let a = unsafe alpha[i]
            unsafe row[i] = high(row[i] &<< 1, (TileGrid.one &- a) &<< 1) &+ a
        }
    }

    /// Lays a premultiplied colour over what is there: s + d·(1 − α).
    static func over(
        _ red: borrowing TilePlane, _ green: borrowing TilePlane, _ blue: borrowing TilePlane,
        _ alpha: borrowing TilePlane, _ start: Int, _ count: Int, weights: borrowing TilePlane,
        _ colour: TileColour
    ) {
        let n = rounded(count)
        let r = unsafe red.samples(from: start, n)
        let g = unsafe green.samples(from: start, n)
        let b = unsafe blue.samples(from: start, n)
        let a = unsafe alpha.samples(from: start, n)
        let weight = unsafe weights.samples(from: 0, n)
        let (cr, cg, cb, ca) = (colour.red, colour.green, colour.blue, colour.alpha)
        for i in 0..<n {
            let w = unsafe weight[i]
            let hidden = high(w, ca)
            let through = (TileGrid.one &- hidden) &<< 1
            unsafe r[i] = capped(high(r[i] &<< 1, through) &+ high(w, cr))
            unsafe g[i] = capped(high(g[i] &<< 1, through) &+ high(w, cg))
            unsafe b[i] = capped(high(b[i] &<< 1, through) &+ high(w, cb))
            unsafe a[i] = high(a[i] &<< 1, through) &+ hidden
        }
    }

    /// Lays a row of one channel over what is there; the values are no more than their alphas.
    static func over(
        _ channel: borrowing TilePlane, _ start: Int, _ count: Int, values: borrowing TilePlane,
        _ valueScale: UInt16, alphas: borrowing TilePlane, _ alphaScale: UInt16
    ) {
        let n = rounded(count)
        let row = unsafe channel.samples(from: start, n)
        let value = unsafe values.samples(from: 0, n)
        let alpha = unsafe alphas.samples(from: 0, n)
        for i in 0..<n {
            let through = unsafe (TileGrid.one &- high(alpha[i], alphaScale)) &<< 1
            unsafe row[i] = high(row[i] &<< 1, through) &+ high(value[i], valueScale)
        }
    }

    /// Adds light, up to white, in shares of 2¹⁶.
    static func add(_ channel: borrowing TilePlane, _ start: Int, _ shares: Span<UInt16>, _ value: UInt16) {
        let n = shares.count
        let row = unsafe channel.samples(from: start, n)
        for i in 0..<n { unsafe row[i] = capped(row[i] &+ high(shares[i], value)) }
    }

    /// Multiplies samples by shares of 2¹⁶.
    static func scale(_ channel: borrowing TilePlane, _ start: Int, by shares: Span<UInt16>) {
        let n = shares.count
        let row = unsafe channel.samples(from: start, n)
        for i in 0..<n { unsafe row[i] = high(row[i], shares[i]) }
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
                // Halved before they are summed: shares fill all 16 bits.
                let left = unsafe (upper[2 &* i] &>> 1) &+ (lower[2 &* i] &>> 1)
                let right = unsafe (upper[2 &* i &+ 1] &>> 1) &+ (lower[2 &* i &+ 1] &>> 1)
                unsafe out[i] = (left &>> 1) &+ (right &>> 1)
            }
        } else {
            for i in 0..<count { unsafe out[i] = (upper[i] &>> 1) &+ (lower[i] &>> 1) }
        }
    }
}
