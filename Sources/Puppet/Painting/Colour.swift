/// A colour with gamma applied, each channel 0…1.
package struct Colour: Sendable, Hashable {
    package var red, green, blue: Float

    package init(_ red: Float, _ green: Float, _ blue: Float) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    func blended(to other: Colour, _ t: Float) -> Colour {
        Colour(mix(red, other.red, t), mix(green, other.green, t), mix(blue, other.blue, t))
    }

    func scaled(_ factor: Float) -> Colour { Colour(red * factor, green * factor, blue * factor) }
}
