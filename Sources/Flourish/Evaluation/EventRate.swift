// `Benchmarks` links to this file, so it needs no module of the product: it names the C library itself.
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
        let figures = [perHour, interval.lowerBound, interval.upperBound].map { Self.text($0, places: 1) }
        return "\(figures[0]) (\(figures[1])–\(figures[2]))"
    }

    /// The hours, such as `0.517`.
    package var hoursText: String { Self.text(hours, places: 3) }

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

    /// The probability of exactly `count` events where `mean` are expected. By logarithms, so that nothing overflows.
    private static func poissonTerm(_ count: Int, mean: Double) -> Double {
        exp(Double(count) * log(mean) - mean - lgamma(Double(count) + 1))
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

    /// Returns a number with a fixed count of decimal places.
    package static func text(_ value: Double, places: Int) -> String {
        let digits = String(Int((value * (0..<places).reduce(1) { scale, _ in scale * 10 }).rounded()))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return places > 0 ? "\(padded.dropLast(places)).\(padded.suffix(places))" : padded
    }
}
