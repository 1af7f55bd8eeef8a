import Reactions

extension EffectFields {
    /// A drawn number that must lie within `bounds` wherever it is drawn.
    mutating func number(_ key: String, _ fallback: Double, in bounds: ClosedRange<Double>) throws -> EffectValue {
        let drawn = try value(key, EffectValue.constant(fallback))
        try check(
            bounds.contains(drawn.least) && bounds.contains(drawn.greatest), key,
            "must lie between \(bounds.lowerBound) and \(bounds.upperBound)")
        return drawn
    }
}
