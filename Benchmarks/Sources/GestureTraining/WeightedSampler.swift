/// Draws numbers with a probability proportional to their weights.
struct WeightedSampler {
    /// The cumulative weights.
    private var ends: [Double] = []

    /// Adds the next number.
    mutating func append(_ weight: Double) { ends.append((ends.last ?? 0) + weight) }

    /// Draws one of the numbers; there must be one.
    func index(_ random: inout SplitMix) -> Int {
        let place = random.uniform(0, ends.last!)
        var low = 0, high = ends.count - 1
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > place { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
