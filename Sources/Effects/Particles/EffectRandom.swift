/// Random numbers that belong to one particle.
///
/// A particle's numbers follow from the effect's seed, the emitter and the
/// particle's index alone, never from what was drawn before: so any frame can
/// be drawn by itself. The steps are SplitMix64's (Steele, Lea and Flood,
/// "Fast Splittable Pseudorandom Number Generators", 2014).
struct EffectRandom {
    private var state: UInt64

    init(key: UInt64) { state = key }

    /// A key of its own for child `index` of `key`.
    static func key(_ key: UInt64, _ index: Int) -> UInt64 {
        mixed(key &+ UInt64(truncatingIfNeeded: index &+ 1) &* 0x9E37_79B9_7F4A_7C15)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z &>> 31)
    }

    /// The next number, 0 ≤ x < 1.
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Double(Self.mixed(state) &>> 11) * 0x1p-53
    }
}
