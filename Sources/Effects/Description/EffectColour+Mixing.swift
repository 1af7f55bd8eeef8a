import Reactions

extension EffectColour {
    /// The same hue at full brightness; black becomes white.
    var brightest: EffectColour {
        let most = max(red, green, blue)
        return most > 0 ? scaled(1 / most) : .white
    }

    func mixed(with other: EffectColour, _ t: Double) -> EffectColour {
        EffectColour(
            red: EffectMath.mix(red, other.red, t), green: EffectMath.mix(green, other.green, t),
            blue: EffectMath.mix(blue, other.blue, t))
    }

    func scaled(_ s: Double) -> EffectColour {
        EffectColour(red: red * s, green: green * s, blue: blue * s)
    }
}
