/// A pseudorandom number generator whose numbers depend only on its seed, on every machine.
///
/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    /// The difference of two consecutive states.
    package static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// Mixes the bits of a number; each number has its own result.
    package static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z &>> 31)
    }

    package mutating func next() -> UInt64 {
        state &+= Self.increment
        return Self.mixed(state)
    }

    /// Returns the next number as one of the 2⁵³ equally spaced numbers with 0 ≤ x < 1.
    package mutating func uniform() -> Double { Double(next() &>> 11) * 0x1p-53 }
}
