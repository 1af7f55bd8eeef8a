import Reactions

/// What stands for an effect where somebody wants no motion.
struct EffectIcon: Sendable, Decodable {
    var sprite: String?
    var colour: EffectColour?
    /// The icon's share of the bubble.
    let size: Double
    /// Whether the icon lies on a dark bubble.
    let hasBubble: Bool

    init(from decoder: any Decoder) throws {
        var fields = try EffectFields(decoder)
        sprite = try fields.name("sprite")
        colour = try fields.optional("colour")
        size = try fields.plain("size", 0.6, in: 0.1...2)
        hasBubble = try fields.value("bubble", true)
        try fields.finish()
    }

    init(sprite: String?, colour: EffectColour?) {
        self.sprite = sprite
        self.colour = colour
        size = 0.6
        hasBubble = true
    }
}

extension EffectDescription {
    /// The height of the bubble.
    private static let bubble = 0.13

    /// One thing beside the gesture, where it covers neither hand nor face, which fades in and
    /// out and does nothing else.
    private static let still = try! EffectFile.decode(
        EffectEmitter.self,
        from: Array(
            #"""
            {"count": 1, "x": 0.13, "y": -0.1, "outward": true, "inside": 0.09,
             "fadeIn": 0.6, "fadeOut": 0.8}
            """#.utf8), file: "")

    /// The effect as a small icon that fades in where it started, stays without moving, and
    /// fades out when the effect would have ended.
    func calmed() -> EffectDescription {
        let icon =
            icon
            ?? EffectIcon(
                sprite: emitters.lazy.compactMap(\.look.sprite).first,
                colour: emitters.lazy.compactMap(\.look.colours.first).first)
        var calm = self
        calm.dim = nil
        calm.exit = 0
        calm.emitters = []
        func add(_ shape: EffectEmitter.Shape, _ size: Double, _ colour: EffectColour?, _ opacity: Double) {
            calm.emitters.append(
                Self.still.changed { _, look in
                    look.shape = shape
                    look.sprite = shape == .sprite ? icon.sprite : nil
                    look.size = .constant(size)
                    look.colours = colour.map { [$0] } ?? []
                    look.opacity = .constant(opacity)
                })
        }
        if icon.hasBubble {
            add(.disc, Self.bubble * 1.06, .white, 0.22)
            add(.disc, Self.bubble, EffectColour(red: 0.07, green: 0.08, blue: 0.1), 0.66)
        }
        add(icon.sprite == nil ? .sparkle : .sprite, Self.bubble * icon.size, icon.colour, 1)
        return calm
    }
}
