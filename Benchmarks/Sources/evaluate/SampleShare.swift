#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A part of some independent samples, and the 95 % interval of its share: Wilson's score interval (E. B. Wilson,
/// Journal of the American Statistical Association 22, 1927).
struct SampleShare: Encodable, Sendable, Hashable {
    let part: Int
    let whole: Int

    init(_ part: Int, of whole: Int) {
        self.part = part
        self.whole = whole
    }

    /// The share, 0 to 1; `nil` without samples.
    var share: Double? { whole > 0 ? Double(part) / Double(whole) : nil }

    /// The 95 % interval of the share; `nil` without samples.
    var interval: ClosedRange<Double>? {
        guard let share else { return nil }
        let count = Double(whole), square = Self.deviate * Self.deviate
        let middle = share + square / (2 * count)
        let width = Self.deviate * (share * (1 - share) / count + square / (4 * count * count)).squareRoot()
        let scale = 1 + square / count
        // At the ends the interval is exact but for rounding.
        return (part == 0 ? 0 : (middle - width) / scale)...(part == whole ? 1 : (middle + width) / scale)
    }

    /// The share and its interval, such as `0.917 (0.850–0.956)`; a dash without samples.
    var text: String {
        guard let share, let interval else { return "–" }
        let figures = [share, interval.lowerBound, interval.upperBound].map { EventRate.text($0, places: 3) }
        return "\(figures[0]) (\(figures[1])–\(figures[2]))"
    }

    /// As JSON: the figures, and the ends of the interval.
    func encode(to encoder: any Encoder) throws {
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

/// McNemar's exact test of two programs that were measured on the same samples (Q. McNemar, Psychometrika 12, 1947):
/// only samples on which they differ count.
struct PairedTest: Sendable, Hashable {
    /// The samples on which only the first, and only the second succeeds.
    let onlyFirst: Int
    let onlySecond: Int

    init(onlyFirst: Int, onlySecond: Int) {
        self.onlyFirst = onlyFirst
        self.onlySecond = onlySecond
    }

    /// Compares two programs' results on the same samples, in the same order.
    init(_ first: [Bool], _ second: [Bool]) {
        precondition(first.count == second.count)
        let pairs = zip(first, second)
        self.init(onlyFirst: pairs.count { $0 && !$1 }, onlySecond: pairs.count { !$0 && $1 })
    }

    /// The two-sided probability of a difference at least as large, if both programs were equally good.
    var probability: Double {
        let sum = (0...min(onlyFirst, onlySecond)).reduce(0.0) { $0 + coinTerm($1, of: onlyFirst + onlySecond) }
        return min(1, 2 * sum)
    }

    /// The probability as text, such as `p = 0.021`.
    var text: String { probability < 0.001 ? "p < 0.001" : "p = \(EventRate.text(probability, places: 3))" }
}

/// The probability of exactly `heads` heads in `count` throws of a coin.
private func coinTerm(_ heads: Int, of count: Int) -> Double {
    let (heads, count) = (Double(heads), Double(count))
    return exp(lgamma(count + 1) - lgamma(heads + 1) - lgamma(count - heads + 1) - count * log(2))
}
