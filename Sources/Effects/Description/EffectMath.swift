import Reactions

/// Elementary functions in plain arithmetic.
///
/// The C library chooses variants of its functions by processor, and the variants' results differ in the last bit. The
/// functions here give the same picture on every machine, and are accurate to 1e-6, which is sufficient for pixels.
enum EffectMath {
    /// sin(2π · turns).
    static func sine(turns: Double) -> Double {
        var x = turns - turns.rounded(.down)
        // Fold into −¼…¼ of a turn, where the series converges fast.
        if x > 0.75 { x -= 1 } else if x > 0.25 { x = 0.5 - x }
        let a = x * 2 * Double.pi
        let a2 = a * a
        return a * (1 - a2 / 6 * (1 - a2 / 20 * (1 - a2 / 42 * (1 - a2 / 72 * (1 - a2 / 110)))))
    }

    /// cos(2π · turns).
    static func cosine(turns: Double) -> Double { sine(turns: turns + 0.25) }

    /// e^−x for x ≥ 0.
    static func decay(_ x: Double) -> Double {
        if x <= 0 { return 1 }
        if x > 40 { return 0 }
        // e^−x = (e^(−x/64))^64; for x/64 < 0.63 six terms suffice.
        let y = -x / 64
        var e = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4 * (1 + y / 5 * (1 + y / 6)))))
        for _ in 0..<6 { e *= e }
        return e
    }

    /// Returns 0 below 0, 1 above 1, and a smooth transition between them.
    static func smooth(_ x: Double) -> Double {
        let t = min(max(x, 0), 1)
        return t * t * (3 - 2 * t)
    }

    static func mix(_ a: Double, _ b: Double, _ t: Double) -> Double { a + (b - a) * t }
}
