/// A histogram of durations, whose percentiles take the same small memory for any number of values.
///
/// Each bucket is wider than the previous one by a twentieth, so that a percentile is off by 2.5 % at most.
package struct LatencyHistogram: Sendable {
    private static let growth = 1.05
    /// The lower end of the first bucket, in seconds. The last bucket begins at about three minutes.
    private static let shortest = 1e-6
    private static let bucketCount = 392
    private static let bounds: [Double] = {
        var bound = shortest
        return (0..<bucketCount).map { _ in
            defer { bound *= growth }
            return bound
        }
    }()

    private var counts = [Int](repeating: 0, count: bucketCount)
    package private(set) var count = 0
    /// The largest value in seconds.
    package private(set) var maximum = 0.0

    package init() {}

    /// Adds a value in seconds.
    package mutating func add(_ seconds: Double) {
        var low = 0, high = Self.bucketCount - 1
        while low < high {
            let middle = (low + high + 1) / 2
            if Self.bounds[middle] <= seconds { low = middle } else { high = middle - 1 }
        }
        counts[low] += 1
        count += 1
        maximum = max(maximum, seconds)
    }

    /// Returns the duration in seconds that a share of the values, 0…1, does not exceed; 0 if there are no values.
    package func percentile(_ share: Double) -> Double {
        guard count > 0 else { return 0 }
        let rank = max(1, (share * Double(count)).rounded(.up))
        var seen = 0
        for index in counts.indices {
            seen += counts[index]
            if Double(seen) >= rank { return min(Self.bounds[index] * (1 + Self.growth) / 2, maximum) }
        }
        return maximum
    }
}
