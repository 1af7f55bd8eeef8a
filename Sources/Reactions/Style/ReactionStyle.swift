/// How reactions look: how much of everything, how lively, in which colours.
///
/// A style changes pictures only. Which reactions are shown and when, and so the
/// events, stay the same.
public struct ReactionStyle: Sendable, Hashable {
    /// How much of everything, 0…1: the number of pieces, how dark the room becomes, how
    /// bright lights are. At 0 an eighth of the pieces is left, four at the least, no dark, and light at 40 %: whoever
    /// gestures still sees an answer.
    public var intensity = 1.0
    /// Whether a small icon, which fades in where the reaction starts and out again, stands for it: no
    /// motion, no flash, no dark.
    public var isCalm = false
    /// Colours to use instead of the effects' own.
    public var palette: Palette?

    /// The usual style.
    public init(intensity: Double = 1, isCalm: Bool = false, palette: Palette? = nil) {
        self.intensity = intensity
        self.isCalm = isCalm
        self.palette = palette
    }
}
