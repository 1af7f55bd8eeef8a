/// A scene with every choice made.
struct SceneLook: Sendable {
    var wall: Colour
    var clothes: Material
    var hair: Material
    var skin: Material
    var lighting: Lighting
    /// The grain's greatest deviation, in code values.
    var noise: Float
    var seed: UInt32
    var hasPerson: Bool

    init(_ scene: PuppetScene?) {
        wall = Colour(hex: scene?.wall) ?? Colour(0.56, 0.64, 0.64)
        clothes = Material(colour: Colour(hex: scene?.clothes) ?? Colour(0.20, 0.33, 0.47), flush: 0)
        hair = Material(colour: Colour(hex: scene?.hair) ?? Colour(0.27, 0.17, 0.12), flush: 0)
        skin = Material(colour: Self.skinTone(scene?.skin), flush: 1)
        lighting = Lighting()
        lighting.level = Float(scene?.light ?? 1)
        noise = Float(scene?.noise ?? 6)
        seed = scene?.seed ?? 1
        hasPerson = scene?.person ?? true
    }

    private static func skinTone(_ name: String?) -> Colour {
        switch name {
        case "light": Colour(0.95, 0.77, 0.66)
        case "brown": Colour(0.66, 0.46, 0.34)
        case "dark": Colour(0.46, 0.31, 0.23)
        case let name?: Colour(hex: name) ?? Colour(0.89, 0.67, 0.53)
        case nil: Colour(0.89, 0.67, 0.53)
        }
    }
}

extension Colour {
    /// A colour written as `#rrggbb`.
    init?(hex: String?) {
        guard let hex, hex.hasPrefix("#"), hex.utf8.count == 7,
            let value = UInt32(hex.dropFirst(), radix: 16)
        else { return nil }
        self.init(
            Float(value >> 16) / 255, Float(value >> 8 & 255) / 255, Float(value & 255) / 255)
    }
}
