/// A part of some independent samples, and the 95 % interval of its share: Wilson's score interval (E. B. Wilson,
/// Journal of the American Statistical Association 22, 1927).
package struct SampleShare: Encodable, Sendable, Hashable {
    package let part: Int
    package let whole: Int

    package init(_ part: Int, of whole: Int) {
        self.part = part
        self.whole = whole
    }

    /// The share, 0 to 1; `nil` without samples.
    package var share: Double? { whole > 0 ? Double(part) / Double(whole) : nil }

    /// The 95 % interval of the share; `nil` without samples.
    package var interval: ClosedRange<Double>? {
        guard let share else { return nil }
        let count = Double(whole), square = Self.deviate * Self.deviate
        let middle = share + square / (2 * count)
        let width = Self.deviate * (share * (1 - share) / count + square / (4 * count * count)).squareRoot()
        let scale = 1 + square / count
        // At the ends the interval is exact but for rounding.
        return (part == 0 ? 0 : (middle - width) / scale)...(part == whole ? 1 : (middle + width) / scale)
    }

    /// The share and its interval, such as `0.917 (0.850–0.956)`; a dash without samples.
    package var text: String {
        guard let share, let interval else { return "–" }
        return "\(rounded(share, 3)) (\(rounded(interval.lowerBound, 3))–\(rounded(interval.upperBound, 3)))"
    }

    /// As JSON: the figures, and the ends of the interval.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(part, forKey: .part)
        try fields.encode(whole, forKey: .whole)
        try fields.encodeIfPresent(share.map(Self.short), forKey: .share)
        try fields.encodeIfPresent(interval.map { Self.short($0.lowerBound) }, forKey: .from)
        try fields.encodeIfPresent(interval.map { Self.short($0.upperBound) }, forKey: .to)
    }

    private enum Key: String, CodingKey { case part, whole, share, from, to }

    private static func short(_ value: Double) -> Double { (value * 1e5).rounded() / 1e5 }

    /// The quantile of the normal distribution that 2.5 % exceed.
    private static let deviate = 1.959_963_984_540_054
}
