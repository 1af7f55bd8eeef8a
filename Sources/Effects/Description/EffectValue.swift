/// A number of a description that each particle draws once.
///
/// In JSON: `3` is the same for all, `[2, 4]` is drawn evenly between, and
/// `{"fan": [2, 4]}` deals the particles of a burst out in equal steps.
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

    var least: Double {
        switch self {
        case .constant(let x): x
        case .range(let a, let b), .fan(let a, let b): min(a, b)
        }
    }

    var greatest: Double {
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
    ///   - random: 0…1, the particle's own.
    ///   - place: 0…1, the particle's place in its burst.
    func draw(_ random: Double, place: Double) -> Double {
        switch self {
        case .constant(let x): x
        case .range(let a, let b): a + (b - a) * random
        case .fan(let a, let b): a + (b - a) * place
        }
    }
}
