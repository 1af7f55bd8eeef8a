/// Random numbers that are the same in every run: SplitMix64
/// (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
package struct SplitMix: Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Returns a uniform number in `low..<high`.
    package mutating func uniform(_ low: Double = 0, _ high: Double = 1) -> Double {
        low + (high - low) * Double(next() >> 11) * 0x1p-53
    }

    /// Returns an integer in 0…`count` − 1.
    package mutating func index(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    /// Returns an approximately normal number with a spread of 1, never beyond 3.5: the sum of twelve uniform
    /// numbers. It avoids logarithms, which machines round differently.
    package mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += uniform() }
        return max(-3.5, min(3.5, sum))
    }
}
