import Reactions

/// A number in a description. Each particle draws its own value from it once.
///
/// In JSON, `3` is the same for all particles, `[2, 4]` is a random number in a range, and `{"fan": [2, 4]}` gives the
/// particles of a burst equal steps.
package enum EffectValue: Sendable, Hashable, Decodable {
    case constant(Double)
    case range(Double, Double)
    case fan(Double, Double)

    private struct Fan: Decodable { var fan: [Double] }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            self = .constant(number)
        } else if let pair = try? container.decode([Double].self), pair.count == 2 {
            self = .range(pair[0], pair[1])
        } else if let fan = try? container.decode(Fan.self).fan, fan.count == 2 {
            self = .fan(fan[0], fan[1])
        } else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "must be a number, [least, greatest] or {\"fan\": [first, last]}")
        }
    }

    var minimum: Double {
        switch self {
        case .constant(let x): x
        case .range(let a, let b), .fan(let a, let b): min(a, b)
        }
    }

    var maximum: Double {
        switch self {
        case .constant(let x): x
        case .range(let a, let b), .fan(let a, let b): max(a, b)
        }
    }

    func scaled(by factor: Double) -> EffectValue {
        switch self {
        case .constant(let x): .constant(x * factor)
        case .range(let a, let b): .range(a * factor, b * factor)
        case .fan(let a, let b): .fan(a * factor, b * factor)
        }
    }

    /// - Parameters:
    ///   - random: The particle's own random number, 0…1.
    ///   - place: The particle's place in its burst, 0…1.
    func draw(_ random: Double, place: Double) -> Double {
        switch self {
        case .constant(let x): x
        case .range(let a, let b): a + (b - a) * random
        case .fan(let a, let b): a + (b - a) * place
        }
    }
}

extension EffectFields {
    /// A random number that must be within `bounds` at every use.
    mutating func number(_ key: String, _ fallback: Double, in bounds: ClosedRange<Double>) throws -> EffectValue {
        let drawn = try value(key, EffectValue.constant(fallback))
        try check(
            bounds.contains(drawn.minimum) && bounds.contains(drawn.maximum), key,
            "must be between \(bounds.lowerBound) and \(bounds.upperBound)")
        return drawn
    }
}

/// Elementary functions in plain arithmetic.
///
/// The C library chooses variants by processor, and their results differ in the last bit. These functions give the same
/// picture everywhere. They are accurate to 1e-6, which is sufficient for pixels.
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
