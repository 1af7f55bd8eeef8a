import Reactions

/// A number in a description, from which each particle draws its own value once.
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
    /// Decodes a number whose possible values must all be within `bounds`.
    mutating func number(_ key: String, _ fallback: Double, in bounds: ClosedRange<Double>) throws -> EffectValue {
        let drawn = try value(key, EffectValue.constant(fallback))
        try check(
            bounds.contains(drawn.minimum) && bounds.contains(drawn.maximum), key,
            "must be between \(bounds.lowerBound) and \(bounds.upperBound)")
        return drawn
    }
}
