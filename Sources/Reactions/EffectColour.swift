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
        guard let colour = EffectColour(hex: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text.prefix(40))\" is not a colour such as \"#ff8800\"")
        }
        self = colour
    }

    /// Parses `"#rrggbb"`; nil for anything else.
    package init?(hex text: some StringProtocol) {
        guard text.utf8.count == 7, text.hasPrefix("#"), text.dropFirst().allSatisfy(\.isHexDigit),
            let bits = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        self.init(
            red: Double(bits >> 16) / 255, green: Double(bits >> 8 & 255) / 255,
            blue: Double(bits & 255) / 255)
    }
}

extension EffectColour {
    /// `#rrggbb`
    package var hex: String {
        "#"
            + [red, green, blue].map { component in
                let digits = String(Int((component * 255).rounded()), radix: 16)
                return digits.count < 2 ? "0" + digits : digits
            }.joined()
    }
}
