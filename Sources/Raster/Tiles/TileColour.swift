/// A colour for ``TileCanvas``: premultiplied, in steps of 1 / ``TileGrid/one``.
///
/// Alpha says how much of what lies beneath is hidden. Colour without alpha is
/// light: it adds and hides nothing. Anything between is allowed (a glow that
/// also veils a little, so that it shows before a white wall).
package struct TileColour: Sendable, Hashable {
    package var red, green, blue, alpha: UInt16
    private let opacity: Double

    /// - Parameters:
    ///   - red, green, blue: non-linear (gamma-coded) components, 0…1, not premultiplied.
    ///   - opacity: 0…1.
    ///   - light: 0 for matter, which hides what is behind it; 1 for pure light.
    package init(red: Double, green: Double, blue: Double, opacity: Double, light: Double = 0) {
        func fixed(_ x: Double) -> UInt16 {
            UInt16((min(max(x, 0), 1) * Double(TileGrid.one)).rounded())
        }
        self.opacity = min(max(opacity, 0), 1)
        self.red = fixed(red * opacity)
        self.green = fixed(green * opacity)
        self.blue = fixed(blue * opacity)
        alpha = fixed(opacity * (1 - light))
    }

    /// The colour as a canvas of an encoding needs it.
    func encoded(by encoding: ColourEncoding) -> TileColour {
        if encoding.isStandard || opacity <= 0 { return self }
        let one = Double(TileGrid.one) * opacity
        let code = encoding.encode(
            red: min(Double(red) / one, 1), green: min(Double(green) / one, 1),
            blue: min(Double(blue) / one, 1))
        var colour = TileColour(red: code.red, green: code.green, blue: code.blue, opacity: opacity)
        colour.alpha = alpha
        return colour
    }
}
