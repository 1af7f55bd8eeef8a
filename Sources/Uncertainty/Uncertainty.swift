// This target has no dependencies, so that the benchmarks can share it: it names the C library itself.
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Events that were counted in some hours, and the exact 95 % interval of their rate: that of a Poisson process
/// (F. Garwood, Fiducial limits for the Poisson distribution, Biometrika 28, 1936).
package struct EventRate: Encodable, Sendable, Hashable {
    package let events: Int
    package let hours: Double

    package init(events: Int, hours: Double) {
        self.events = events
        self.hours = hours
    }

    /// The events per hour; `nil` without any time.
    package var perHour: Double? { hours > 0 ? Double(events) / hours : nil }

    /// The 95 % interval of the events per hour; `nil` without any time.
    package var interval: ClosedRange<Double>? {
        guard hours > 0 else { return nil }
        let expected = Self.expectedEvents(events)
        return expected.lowerBound / hours...expected.upperBound / hours
    }

    /// The rate and its interval, such as `3.8 (0.5–13.9)`; a dash without any time.
    package var text: String {
        guard let perHour, let interval else { return "–" }
        return "\(rounded(perHour, 1)) (\(rounded(interval.lowerBound, 1))–\(rounded(interval.upperBound, 1)))"
    }

    /// The hours, such as `0.517`.
    package var hoursText: String { rounded(hours, 3) }

    /// The 95 % interval of the expected number of events where `count` were counted.
    package static func expectedEvents(_ count: Int) -> ClosedRange<Double> {
        let lower = count > 0 ? mean { probability(ofAtMost: count - 1, mean: $0) - 0.975 } : 0
        return lower...mean { probability(ofAtMost: count, mean: $0) - 0.025 }
    }

    /// As JSON: the figures, and the ends of the interval. None has more digits than it is worth.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(events, forKey: .events)
        try fields.encode((hours * 1e5).rounded() / 1e5, forKey: .hours)
        try fields.encodeIfPresent(perHour.map(Self.short), forKey: .perHour)
        try fields.encodeIfPresent(interval.map { Self.short($0.lowerBound) }, forKey: .from)
        try fields.encodeIfPresent(interval.map { Self.short($0.upperBound) }, forKey: .to)
    }

    private enum Key: String, CodingKey { case events, hours, perHour, from, to }

    private static func short(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

    /// The sum of the terms on both sides of the largest one, in which those that vanish beside it are left out.
    private static func probability(ofAtMost count: Int, mean: Double) -> Double {
        guard mean > 0 else { return 1 }
        let peak = min(count, Int(mean))
        let largest = poissonTerm(peak, mean: mean)
        var sum = largest, term = largest
        for index in stride(from: peak, to: 0, by: -1) where term > 0 {
            term *= Double(index) / mean
            sum += term
        }
        term = largest
        for index in stride(from: peak + 1, through: count, by: 1) where term > 0 {
            term *= mean / Double(index)
            sum += term
        }
        return sum
    }

    /// Returns the zero of a falling function of the mean, by bisection.
    private static func mean(_ function: (Double) -> Double) -> Double {
        var low = 0.0, high = 8.0
        while function(high) > 0 { high *= 2 }
        // The exponent of the interval's width falls by one each time; a Double has 53 bits.
        for _ in 0..<64 {
            let middle = (low + high) / 2
            if function(middle) > 0 { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}

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

/// McNemar's exact test of two programs that were measured on the same samples (Q. McNemar, Psychometrika 12, 1947):
/// only samples on which they differ count.
package struct PairedTest: Sendable, Hashable {
    /// The samples on which only the first, and only the second succeeds.
    package let onlyFirst: Int
    package let onlySecond: Int

    package init(onlyFirst: Int, onlySecond: Int) {
        self.onlyFirst = onlyFirst
        self.onlySecond = onlySecond
    }

    /// Compares two programs' results on the same samples, in the same order.
    package init(_ first: [Bool], _ second: [Bool]) {
        precondition(first.count == second.count)
        let pairs = zip(first, second)
        self.init(onlyFirst: pairs.count { $0 && !$1 }, onlySecond: pairs.count { !$0 && $1 })
    }

    /// The two-sided probability of a difference at least as large, if both programs were equally good.
    package var probability: Double {
        let sum = (0...min(onlyFirst, onlySecond)).reduce(0.0) { $0 + coinTerm($1, of: onlyFirst + onlySecond) }
        return min(1, 2 * sum)
    }

    /// The probability as text, such as `p = 0.021`.
    package var text: String { probability < 0.001 ? "p < 0.001" : "p = \(rounded(probability, 3))" }
}

/// The probability of exactly `count` events where `mean` are expected. By logarithms, so that nothing overflows.
func poissonTerm(_ count: Int, mean: Double) -> Double {
    exp(Double(count) * log(mean) - mean - lgamma(Double(count) + 1))
}

/// The probability of exactly `heads` heads in `count` throws of a coin.
func coinTerm(_ heads: Int, of count: Int) -> Double {
    let (heads, count) = (Double(heads), Double(count))
    return exp(lgamma(count + 1) - lgamma(heads + 1) - lgamma(count - heads + 1) - count * log(2))
}

/// Returns a number with a fixed count of decimal places.
func rounded(_ value: Double, _ places: Int) -> String {
    let digits = String(Int((value * (0..<places).reduce(1) { scale, _ in scale * 10 }).rounded()))
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return places > 0 ? "\(padded.dropLast(places)).\(padded.suffix(places))" : padded
}
