internal import CRaster

/// The arithmetic on rows of ``BandPlane`` samples, one channel at a time. 1 is represented by 2¹⁴, and weights have 16
/// bits. The loops are in CRaster.
///
/// Rows are rounded up to whole vectors. The weights beyond the end of a shape are 0, and a weight of 0 leaves a sample
/// exactly unchanged.
enum BandRows {
    /// The number of samples that are processed together.
    static let group = 16

    @inline(__always)
    static func rounded(_ count: Int) -> Int { (count &+ (group - 1)) & ~(group - 1) }

    @inline(__always)
    static func high(_ x: UInt16, _ y: UInt16) -> UInt16 {
        UInt16(truncatingIfNeeded: (UInt32(x) &* UInt32(y)) &>> 16)
    }

    /// Adds light of one colour, up to white.
    static func add(
        _ colours: borrowing BandColours, _ start: Int, _ count: Int, weights: borrowing BandPlane,
        _ colour: BandColour
    ) {
        let n = rounded(count)
        unsafe craster_add_colour(
            colours.red.samples(from: start, n), colours.green.samples(from: start, n),
            colours.blue.samples(from: start, n),
            weights.samples(from: 0, n), n / group, colour.red, colour.green, colour.blue)
    }

    /// Adds light to one channel, up to white.
    static func add(
        _ channel: borrowing BandPlane, _ start: Int, _ count: Int, weights: borrowing BandPlane, _ at: Int,
        _ value: UInt16
    ) {
        let n = rounded(count)
        unsafe craster_add(channel.samples(from: start, n), weights.samples(from: at, n), n, value)
    }

    /// Adds light of one colour to two rows of luma, `below` samples apart, and to colours of half the width and
    /// height, up to white.
    /// - Parameters:
    ///   - groups: The number of groups of luma samples; colours have half that number.
    ///   - weights: The weights of the first row of luma start at 0; those of the second row start at `weightsBelow`.
    static func shine(
        _ luma: borrowing BandPlane, _ start: Int, below: Int, _ colours: borrowing BandColours, _ smallStart: Int,
        _ groups: Int,
        weights: borrowing BandPlane, weightsBelow: Int, _ value: UInt16, _ colour: BandColour
    ) {
        let n = groups &* group
        unsafe craster_shine(
            luma.samples(from: start, n), luma.samples(from: start + below, n),
            colours.red.samples(from: smallStart, n >> 1), colours.green.samples(from: smallStart, n >> 1),
            colours.blue.samples(from: smallStart, n >> 1),
            weights.samples(from: 0, n), weights.samples(from: weightsBelow, n), groups, value, colour.red,
            colour.green, colour.blue)
    }

    /// Computes the weighted sum of three channels; a weight of 2¹⁶ is 1.
    static func mix(
        _ colours: borrowing BandColours, _ start: Int, _ count: Int,
        _ weights: (red: UInt16, green: UInt16, blue: UInt16), into target: borrowing BandPlane
    ) {
        unsafe craster_mix(
            target.samples(from: start, count), colours.red.samples(from: start, count),
            colours.green.samples(from: start, count), colours.blue.samples(from: start, count), count, weights.red,
            weights.green, weights.blue)
    }

    /// Copies every sample (`shift` 0), or every second sample (`shift` 1).
    static func every(
        _ source: borrowing BandPlane, _ start: Int, _ shift: Int, into target: borrowing BandPlane, _ count: Int
    ) {
        let from = unsafe source.samples(from: start, (count - 1) << shift + 1)
        let out = unsafe target.samples(from: 0, count)
        if shift == 0 {
            unsafe out.update(from: from, count: count)
        } else {
            unsafe craster_every_second(out, from, count)
        }
    }

    /// Interpolates between points that are 2 pixels apart. Padding samples become 0.
    static func upsampleTwofold(
        _ points: borrowing BandPlane, into target: borrowing BandPlane, _ count: Int
    ) {
        let groups = (count &+ 1) >> 1
        let n = rounded(count)
        let out = unsafe target.samples(from: 0, n)
        unsafe craster_stretch_twofold(out, points.samples(from: 0, groups &+ 1), groups)
        for i in count..<n { unsafe out[i] = 0 }
    }

    /// Interpolates between points that are 4 pixels apart, for `count` pixels (a multiple of 4) from point `start` on.
    static func upsampleFourfold(
        _ points: borrowing BandPlane, from start: Int, into target: borrowing BandPlane, at: Int, _ count: Int
    ) {
        let groups = count >> 2
        unsafe craster_stretch_fourfold(
            target.samples(from: at, count), points.samples(from: start, groups &+ 1), groups)
    }

    /// Interpolates a row between two rows; `part` is the number of quarters of the way from the first to the second.
    static func between(
        _ rows: borrowing BandPlane, _ upper: Int, _ lower: Int, _ part: Int,
        into target: borrowing BandPlane, at: Int, _ count: Int
    ) {
        let n = rounded(count)
        unsafe craster_between(
            target.samples(from: at, n), rows.samples(from: upper, n), rows.samples(from: lower, n), n / group,
            UInt16(part) << 14)
    }

    /// Composites a row of premultiplied values over the channel.
    static func over(
        _ channel: borrowing BandPlane, _ start: Int, _ count: Int, values: borrowing BandPlane,
        alphas: borrowing BandPlane, _ at: Int
    ) {
        let n = rounded(count)
        unsafe craster_over_values(
            channel.samples(from: start, n), values.samples(from: 0, n), alphas.samples(from: at, n), n / group)
    }

    /// Composites a row of alphas over a channel of alphas.
    static func over(
        _ channel: borrowing BandPlane, _ start: Int, _ count: Int, alphas: borrowing BandPlane, _ at: Int
    ) {
        let n = rounded(count)
        unsafe craster_over_alphas(channel.samples(from: start, n), alphas.samples(from: at, n), n / group)
    }

    /// Composites a premultiplied colour over colours and alpha: s + d·(1 − α).
    static func over(
        _ colours: borrowing BandColours, _ alpha: borrowing BandPlane, _ start: Int, _ count: Int,
        weights: borrowing BandPlane, _ colour: BandColour
    ) {
        let n = rounded(count)
        unsafe craster_over_colour(
            colours.red.samples(from: start, n), colours.green.samples(from: start, n),
            colours.blue.samples(from: start, n), alpha.samples(from: start, n), weights.samples(from: 0, n), n / group,
            colour.red, colour.green,
            colour.blue, colour.alpha)
    }

    /// Composites a row of premultiplied values over the channel. Values and alphas are scaled first; no scaled value
    /// is greater than its alpha.
    static func over(
        _ channel: borrowing BandPlane, _ start: Int, _ count: Int, values: borrowing BandPlane,
        _ valueScale: UInt16, alphas: borrowing BandPlane, _ alphaScale: UInt16
    ) {
        let n = rounded(count)
        unsafe craster_over_scaled(
            channel.samples(from: start, n), values.samples(from: 0, n), valueScale, alphas.samples(from: 0, n),
            alphaScale, n / group)
    }

    /// Adds light to one channel, up to white; a share of 2¹⁶ is the whole value.
    static func add(_ channel: borrowing BandPlane, _ start: Int, _ shares: Span<UInt16>, _ value: UInt16) {
        let row = unsafe channel.samples(from: start, shares.count)
        unsafe shares.withUnsafeBufferPointer { unsafe craster_add(row, $0.baseAddress, $0.count, value) }
    }

    /// Multiplies samples by shares; 2¹⁶ is 1.
    static func scale(_ channel: borrowing BandPlane, _ start: Int, by shares: Span<UInt16>) {
        let row = unsafe channel.samples(from: start, shares.count)
        unsafe shares.withUnsafeBufferPointer { unsafe craster_scale(row, $0.baseAddress, $0.count) }
    }

    /// Averages neighbours of a row and of the row `below` samples further on, at half the width (`shift` 1) or at the
    /// same width.
    static func average(
        _ source: borrowing BandPlane, from: Int, below: Int, into target: borrowing BandPlane,
        at: Int, count: Int, shift: Int
    ) {
        let upper = unsafe source.samples(from: from, count << shift)
        let lower = unsafe source.samples(from: from + below, count << shift)
        let out = unsafe target.samples(from: at, count)
        if shift == 1 {
            unsafe craster_average_quads(out, upper, lower, count)
        } else {
            unsafe craster_average_pairs(out, upper, lower, count)
        }
    }
}
