/// A non-linear R′G′B′ colour, 0…1 each; `"#rrggbb"` in JSON.
package struct EffectColour: Sendable, Hashable, Decodable {
    package var red, green, blue: Double

    package init(red: Double, green: Double, blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    package static let white = EffectColour(red: 1, green: 1, blue: 1)

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard text.utf8.count == 7, text.hasPrefix("#"), let bits = UInt32(text.dropFirst(), radix: 16) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is not a colour such as \"#ff8800\"")
        }
        self.init(
            red: Double(bits >> 16) / 255, green: Double(bits >> 8 & 255) / 255,
            blue: Double(bits & 255) / 255)
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
