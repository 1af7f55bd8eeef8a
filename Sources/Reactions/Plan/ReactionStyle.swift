/// The style of reactions: their intensity, calmness and colours.
///
/// A style changes pictures only. Reactions, their times and all events stay the same.
///
/// ```swift
/// configuration.style = ReactionStyle(intensity: 0.5, palette: Palette.designed["pastel"])
/// session.style.isCalm = true  // while the session runs
/// ```
public struct ReactionStyle: Sendable, Hashable {
    /// The intensity, 0…1: scales the number of pieces, the darkening of the room and the brightness of lights. At 0,
    /// an eighth of the pieces remains, at least four. The room is not darkened, and light has 40 % of its brightness,
    /// so that a gesture still has a visible response.
    public var intensity = 1.0
    /// A Boolean value that indicates whether a small icon replaces the effect: it fades in and out at the reaction's
    /// place, without motion, flash or darkening.
    public var isCalm = false
    /// The colours that replace the effects' own.
    public var palette: Palette?

    /// Creates a style; the default one without arguments.
    public init(intensity: Double = 1, isCalm: Bool = false, palette: Palette? = nil) {
        self.intensity = intensity
        self.isCalm = isCalm
        self.palette = palette
    }
}
