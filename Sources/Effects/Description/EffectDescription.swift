package import Reactions

/// An effect as data: the contents of `Assets/Reactions/<type>.json`. ``EffectLibrary`` decodes it;
/// ``ParticleRenderer`` draws it.
///
/// Lengths are fractions of the upright frame's height, times are seconds, angles are degrees counter-clockwise from
/// the right (90 is up). The schema is explained in `docs/effect-format.md`.
package struct EffectDescription: Sendable, Decodable {
    /// The reaction's name.
    package internal(set) var type: String
    /// The duration of an effect that is not extended.
    package let duration: Double
    /// The duration of the dimming's fade-in.
    let entrance: Double
    /// The duration of the fade-out at the end.
    var exit: Double
    /// The effect's place if no gesture determines it, as fractions of the upright picture.
    package let place: EffectPlace
    /// The factor by which the effect multiplies the bits of its frames at the same quality. The encoder's rate is
    /// raised by this factor.
    package let complexity: Double
    /// The bits that the effect adds to each frame, measured with H.264 at 1280×720, quantiser 18 and 30 frames a
    /// second; `nil` if not measured.
    package let addedBits: Double?
    /// The part of ``addedBits`` that depends on the number of pieces.
    package let piecesBits: Double
    /// The dimming of the room.
    var dim: EffectDim?
    var emitters: [EffectEmitter]
    /// The colours that a palette replaces, in the palette's order; all colours if nil.
    let palette: [EffectColourGroup]?
    /// The icon that replaces the effect in calm styles.
    var icon: EffectIcon?
    /// The name of the effect's sound; `nil` for silence.
    let sound: String?

    package init(from decoder: any Decoder) throws {
        var fields = try EffectFields(decoder)
        type = try fields.required("type")
        try fields.checkName(type, "type")
        duration = try fields.plain("duration", 4, in: 0.5...30)
        entrance = try fields.plain("entrance", 0.5, in: 0...5)
        exit = try fields.plain("exit", 0.6, in: 0...5)
        place = try fields.value("place", EffectPlace(x: 0.5, y: 0.5))
        complexity = try fields.plain("complexity", 3, in: 1...100)
        addedBits = try fields.optional("addedBits")
        try fields.check(addedBits.map((0...1e8).contains) ?? true, "addedBits", "must be between 0 and 100000000")
        piecesBits = try fields.plain("piecesBits", 0, in: 0...1e8)
        dim = try fields.optional("dim")
        emitters = try fields.required("emitters")
        palette = try fields.optional("palette")
        icon = try fields.optional("icon")
        sound = try fields.name("sound")
        _ = try fields.optional("about", String.self)
        try fields.finish()
        try EffectLimits.check(self, decoder)
    }

    /// True if drawing needs a mask of the people, because parts of the effect may be behind them.
    package var needsMask: Bool {
        (dim?.people ?? 1) < 1 || emitters.contains { $0.mayBeBehind || $0.standsOnPeople }
    }

    /// The names of the sprites that the effect needs, sorted.
    package var sprites: [String] {
        Set(emitters.flatMap(\.spriteNames) + [icon?.sprite].compactMap(\.self)).sorted()
    }
}

/// A place in the upright picture, 0…1, y down.
package struct EffectPlace: Sendable, Hashable, Decodable {
    package let x, y: Double

    init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    package init(from decoder: any Decoder) throws {
        var fields = try EffectFields(decoder)
        x = try fields.plain("x", 0.5, in: 0...1)
        y = try fields.plain("y", 0.5, in: 0...1)
        try fields.finish()
    }
}

/// The dimming of the room behind an effect.
struct EffectDim: Sendable, Decodable {
    /// The share of the picture that the dimming hides, 0…1.
    var amount: Double
    let colour: EffectColour
    /// The share by which the dimming is weaker in the picture's middle than in its corners, 0…1.
    let vignette: Double
    /// The share by which the dimming decreases from the top to the bottom, −1…1; below 0 it increases.
    let sky: Double
    /// The amplitude of slowly drifting density variations.
    let haze: Double
    /// The share of the dimming that applies to people, 0…1: 0 dims only the room behind them.
    let people: Double

    init(from decoder: any Decoder) throws {
        var fields = try EffectFields(decoder)
        amount = try fields.plain("amount", 0.5, in: 0...1)
        colour = try fields.value("colour", EffectColour(red: 0, green: 0, blue: 0))
        vignette = try fields.plain("vignette", 0, in: 0...1)
        sky = try fields.plain("sky", 0, in: -1...1)
        haze = try fields.plain("haze", 0, in: 0...1)
        let sparesPeople: Bool? = try fields.optional("sparesPeople")
        people = try fields.plain("people", sparesPeople == false ? 1 : 0, in: 0...1)
        try fields.check(
            sparesPeople.map { $0 == (people == 0) } ?? true, "people", "and \"sparesPeople\" cannot be combined")
        try fields.finish()
    }
}

/// The icon that replaces an effect in calm styles.
struct EffectIcon: Sendable, Decodable {
    var sprite: String?
    /// The text that is shown as the sprite.
    let text: EffectText?
    /// The width of the sprite's picture over its height.
    var spriteAspect = 1.0
    var colour: EffectColour?
    /// The icon's height, as a share of the bubble's height.
    let size: Double
    /// True if the icon is drawn on a bubble (a dark disc).
    let hasBubble: Bool

    init(from decoder: any Decoder) throws {
        var fields = try EffectFields(decoder)
        sprite = try fields.name("sprite")
        text = try fields.optional("text")
        try fields.check(text == nil || sprite == nil, "text", "and \"sprite\" cannot be combined")
        colour = try fields.optional("colour")
        size = try fields.plain("size", 0.6, in: 0.1...2)
        hasBubble = try fields.value("bubble", true)
        try fields.finish()
    }

    init(sprite: String?, colour: EffectColour?) {
        self.sprite = sprite
        self.colour = colour
        text = nil
        size = 0.6
        hasBubble = true
    }
}

extension EffectDescription {
    /// The height of an icon's bubble, in heights of the frame.
    private static let bubble = 0.13

    /// The emitter of a single still particle beside the gesture, at a place that covers neither hand nor face. The
    /// particle only fades in and out.
    private static let still = try! EffectFile.decode(
        EffectEmitter.self,
        from: Array(
            #"""
            {"count": 1, "x": 0.13, "y": -0.1, "outward": true, "inside": 0.09,
             "fadeIn": 0.6, "fadeOut": 0.8}
            """#.utf8), file: "")

    /// Returns the effect as a small icon at the effect's place. The icon fades in, stays without moving, and fades out
    /// at the effect's end.
    func calmed() -> EffectDescription {
        let icon =
            icon
            ?? EffectIcon(
                sprite: emitters.lazy.compactMap(\.appearance.sprite).first,
                colour: emitters.lazy.compactMap(\.appearance.colours.first).first)
        var calm = self
        calm.dim = nil
        calm.exit = 0
        calm.emitters = []
        func add(_ shape: EffectEmitter.Shape, _ size: Double, _ colour: EffectColour?, _ opacity: Double) {
            calm.emitters.append(
                Self.still.changed { birth, appearance in
                    birth.inside = EffectMargins(
                        x: max(Self.bubble * 0.7, Self.bubble * icon.size * icon.spriteAspect / 2 + 0.01),
                        y: Self.bubble * 0.7)
                    appearance.shape = shape
                    appearance.sprite = shape == .sprite ? icon.sprite : nil
                    appearance.plays = false
                    appearance.size = .constant(size)
                    appearance.colours = colour.map { [$0] } ?? []
                    appearance.opacity = .constant(opacity)
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

/// Descriptions as JSON with all values written out, for programs that draw the effects themselves, such as the page
/// for a browser source. The keys are those of the files, except that `life` is `null` for a particle that lives until
/// the effect's end.
extension EffectDescription {
    /// Returns the description as JSON.
    ///
    /// - Parameter spriteNumber: Returns the number that replaces a sprite's name. Names of custom sprites are paths.
    package func json(spriteNumber: (String) -> Int) -> JSONValue {
        .object([
            "duration": .number(duration), "entrance": .number(entrance), "exit": .number(exit),
            "dim": dim?.json ?? .null, "emitters": .array(emitters.map { $0.json(spriteNumber: spriteNumber) }),
        ])
    }
}

extension EffectDim {
    fileprivate var json: JSONValue {
        .object([
            "amount": .number(amount), "colour": .text(colour.hex), "vignette": .number(vignette),
            "sky": .number(sky), "haze": .number(haze), "people": .number(people),
        ])
    }
}

extension EffectEmitter {
    fileprivate func json(spriteNumber: (String) -> Int) -> JSONValue {
        var fields = birth.fields.merging(motion.fields) { first, _ in first }
        fields.merge(appearance.fields(spriteNumber: spriteNumber)) { first, _ in first }
        fields["layer"] = .text(layer.rawValue)
        fields["when"] = .text(when.rawValue)
        fields["children"] = .array(children.map { $0.json(spriteNumber: spriteNumber) })
        return .object(fields)
    }
}

extension EffectBirth {
    fileprivate var fields: [String: JSONValue] {
        [
            "start": start.json, "stop": .number(stop), "count": count.map { .number($0) } ?? .null,
            "rate": .number(rate), "over": .number(over), "anchor": .text(anchor.rawValue), "x": x.json, "y": y.json,
            "outward": .flag(outward), "inside": inside.map { .array([.number($0.x), .number($0.y)]) } ?? .null,
        ]
    }
}

extension EffectMotion {
    fileprivate var fields: [String: JSONValue] {
        [
            "life": untilEnd ? .null : life.json, "speed": speed.json, "angle": angle.json, "gravity": gravity.json,
            "drag": drag.json, "inherit": .number(inherit), "sway": sway.json, "swayRate": swayRate.json,
            "lean": lean.json, "tilt": tilt.json, "spin": spin.json, "tumble": tumble.json, "swing": swing.json,
            "swingRate": swingRate.json, "swingDamping": swingDamping.json, "wobble": wobble.json,
            "depth": depth.json, "perspective": .number(perspective),
        ]
    }
}

extension EmitterAppearance {
    fileprivate func fields(spriteNumber: (String) -> Int) -> [String: JSONValue] {
        [
            "shape": .text(shape.rawValue), "sprite": sprite.map { .integer(spriteNumber($0)) } ?? .null,
            "size": size.json, "aspect": aspect.json, "length": length.json, "trail": trail.json,
            "opacity": opacity.json, "light": .number(light), "colours": .array(colours.map { .text($0.hex) }),
            "inheritColour": .flag(inheritColour), "heat": .number(heat), "shade": .number(shade),
            "blur": .number(blur), "grow": .number(grow), "overshoot": .number(overshoot), "shrink": .number(shrink),
            "fadeIn": .number(fadeIn), "fadeOut": .number(fadeOut),
            "sizeOverLife": .array(sizeOverLife.map { .number($0) }),
            "opacityOverLife": .array(opacityOverLife.map { .number($0) }), "twinkle": twinkle.json,
            "glow": glow.map { .object(["size": .number($0.size), "opacity": .number($0.opacity)]) } ?? .null,
            "string": string.map {
                .object([
                    "length": .number($0.length), "width": .number($0.width), "colour": .text($0.colour.hex),
                ])
            } ?? .null,
            "shadow": .number(shadow),
        ]
    }
}

extension EffectValue {
    fileprivate var json: JSONValue {
        switch self {
        case .constant(let number): .number(number)
        case .range(let a, let b): .array([.number(a), .number(b)])
        case .fan(let a, let b): .object(["fan": .array([.number(a), .number(b)])])
        }
    }
}
