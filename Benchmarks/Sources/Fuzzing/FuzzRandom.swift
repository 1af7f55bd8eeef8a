/// Random numbers from a seed (splitmix64), so that every input can be reproduced.
package struct FuzzRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a number from 0 up to, not with, a bound; 0 if the bound is 0.
    mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }

    /// Returns true with a probability of one in `count`.
    mutating func once(in count: Int) -> Bool { below(count) == 0 }

    /// Returns one of some choices; there must be one.
    mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

    /// Returns a range within `0..<count`, mostly short.
    mutating func range(within count: Int) -> Range<Int> {
        guard count > 0 else { return 0..<0 }
        let start = below(count)
        let longest = once(in: 8) ? count : min(count, 16)
        return start..<min(count, start + 1 + below(longest))
    }
}
