/// Samples of 14 bits, as planes have them, from arithmetic in single precision.
enum FixedSample {
    /// The nearest sample.
    ///
    /// Adding 2²³ rounds and leaves the value in the low bits: a conversion that checks its range keeps loops scalar.
    @inline(__always)
    static func rounded(_ value: Float) -> Int16 {
        let limited = value < 0 ? 0 : value > 16383 ? 16383 : value
        return Int16(truncatingIfNeeded: (limited + 8_388_608).bitPattern)
    }
}
