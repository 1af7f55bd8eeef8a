package import Reactions

extension ReactionStyle {
    /// The style as effects take it.
    package var effectStyle: EffectStyle {
        EffectStyle(intensity: intensity, isCalm: isCalm, palette: palette?.effectPalette)
    }
}
