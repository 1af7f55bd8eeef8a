import Reactions

/// A source of particles, with their motion and their appearance.
///
/// The type is a class only so that the many particles on screen share one instance; it never changes.
final class EffectEmitter: Sendable, Decodable {
    enum Layer: String, Sendable, Decodable { case behind, front, split }
    enum Anchor: String, Sendable, Decodable { case gesture, frame, people }
    enum When: String, Sendable, Decodable { case death, along }
    enum Shape: String, Sendable, Decodable {
        case glow, disc, ring, paper, coin, ribbon, streak, beam, sparkle, sprite
    }

    /// The layer of the particles: behind people, in front of them, or by each particle's depth (the nearer half in
    /// front).
    let layer: Layer
    let birth: EffectBirth
    let motion: EffectMotion
    let appearance: EmitterAppearance
    /// The emitters whose particles start from this emitter's particles.
    let children: [EffectEmitter]
    /// The time from which a child's particles are born: the death of the parent particle, or (`along`) its birth.
    let when: When

    init(from decoder: any Decoder) throws {
        var fields = try EffectFields(decoder)
        _ = try fields.optional("name", String.self)
        layer = try fields.value("layer", .front)
        when = try fields.value("when", .death)
        birth = try EffectBirth(&fields)
        motion = try EffectMotion(&fields)
        appearance = try EmitterAppearance(&fields)
        children = try fields.value("children", [])
        try fields.finish()
        try fields.check(
            birth.count != nil || !motion.untilEnd, "life", "a stream (a \"rate\") requires a \"life\"")
    }

    init(
        layer: Layer, birth: EffectBirth, motion: EffectMotion, appearance: EmitterAppearance,
        children: [EffectEmitter], when: When
    ) {
        self.layer = layer
        self.birth = birth
        self.motion = motion
        self.appearance = appearance
        self.children = children
        self.when = when
    }

    var spriteNames: [String] {
        (appearance.sprite.map { [$0] } ?? []) + children.flatMap(\.spriteNames)
    }

    /// True if some particles of this emitter, or of its descendants, are behind people.
    var mayBeBehind: Bool { layer != .front || children.contains(where: \.mayBeBehind) }

    /// True if some particles of this emitter, or of its descendants, are born on people's outlines.
    var standsOnPeople: Bool { birth.anchor == .people || children.contains(where: \.standsOnPeople) }

    /// True if some particles of this emitter, or of its descendants, move aside from heads.
    var movesAside: Bool { motion.aside || children.contains(where: \.movesAside) }

    /// True if the emitter is the single figure at the effect's place, such as a bubble.
    var isFigure: Bool { birth.anchor == .gesture && appearance.shape == .sprite && (birth.count ?? 2) == 1 }

    /// True if the particles are emitted again when the effect is renewed. Only bursts whose particles have a limited
    /// life are emitted again.
    var burstsAgain: Bool { birth.count != nil && !motion.untilEnd }

    /// The maximum time from the start of a burst, or from a birth in a stream, until the particles and their
    /// descendants are gone.
    var reach: Double { motion.life.maximum + (children.map(\.reach).max() ?? 0) + birth.over }
}

/// The places and times at which an emitter's particles are born.
struct EffectBirth: Sendable {
    /// The seconds until emission begins: from the effect's start, or for a child from the time that
    /// ``EffectEmitter/when`` names.
    let start: EffectValue
    /// The seconds before the effect's end at which emission stops.
    let stop: Double
    /// The number of particles of a burst; nil for a steady stream.
    var count: Double?
    /// The particles a second of a stream.
    var rate: Double
    /// The seconds over which a burst is emitted.
    let over: Double
    /// The origin and the units of x and y. `gesture`: from the gesture, in heights of the frame. `frame`: from the
    /// frame's top left corner, in fractions of its width and height. `people`: x in fractions of the frame's width,
    /// and y in heights below people's upper outline.
    let anchor: EffectEmitter.Anchor
    let x, y: EffectValue
    /// True if positive x points away from the frame's middle. If so, x is mirrored for gestures in the left half.
    let outward: Bool
    /// The minimum distances of the birthplace from the frame's edges; `nil` for no minimum.
    var inside: EffectMargins?

    init(_ fields: inout EffectFields) throws {
        start = try fields.number("start", 0, in: 0...30)
        stop = try fields.plain("stop", 0, in: 0...30)
        count = try fields.optional("count")
        rate = try fields.plain("rate", 0, in: 0...5000)
        over = try fields.plain("over", 0, in: 0...30)
        anchor = try fields.value("anchor", .gesture)
        x = try fields.number("x", 0, in: -10...10)
        y = try fields.number("y", 0, in: -10...10)
        outward = try fields.value("outward", false)
        inside = try fields.optional("inside")
        try fields.check(count != nil || rate > 0, "rate", "an emitter requires a \"count\" or a \"rate\"")
        try fields.check((count ?? 1) >= 1 && (count ?? 1) <= 5000, "count", "must be between 1 and 5000")
        try fields.check(
            [inside?.x, inside?.y].allSatisfy { (0...1).contains($0 ?? 0) }, "inside", "must be between 0.0 and 1.0")
    }
}

/// Minimum distances from the frame's left and right edges, and from its upper and lower edges, in heights of the frame.
/// In JSON, one number is both.
struct EffectMargins: Sendable, Hashable, Decodable {
    let x, y: Double

    init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            (x, y) = (number, number)
        } else if let pair = try? container.decode([Double].self), pair.count == 2 {
            (x, y) = (pair[0], pair[1])
        } else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "must be a number or [left and right, above and below]")
        }
    }

    /// Returns a coordinate at least `margin` away from both ends of a length, or its middle if that is impossible.
    static func clamp(_ value: Double, _ margin: Double, below length: Double) -> Double {
        2 * margin > length ? length / 2 : min(max(value, margin), length - margin)
    }
}

/// The motion of an emitter's particles.
struct EffectMotion: Sendable {
    /// The seconds that a particle lives; not used if ``untilEnd`` is set.
    let life: EffectValue
    /// True if particles live until the effect ends.
    let untilEnd: Bool
    /// The initial speed in heights a second and its direction, the downward acceleration, and the linear drag (1 /
    /// second).
    let speed, angle, gravity, drag: EffectValue
    /// The share of the parent's velocity that is added to a child's velocity at birth.
    let inherit: Double
    /// The side-to-side movement: amplitude, cycles a second, and the resulting tilt in degrees.
    let sway, swayRate, lean: EffectValue
    /// The rotation at birth in degrees, and its speed in degrees a second.
    let tilt, spin: EffectValue
    /// The turns a second about an axis in the picture's plane, as of tumbling paper.
    let tumble: EffectValue
    /// The swinging rotation: amplitude, cycles a second, and damping.
    let swing, swingRate, swingDamping: EffectValue
    /// The share by which a sprite is squashed and stretched, at 1.7 times its sway rate.
    let wobble: EffectValue
    /// The speed of the strongest gusts of wind, in heights a second. All particles of an effect drift in the same wind.
    let gust: EffectValue
    /// True if the particles move aside from people's heads.
    let aside: Bool
    /// The depth of a particle: 0 is far, 1 is near.
    let depth: EffectValue
    /// The amount by which far particles are smaller and slower.
    let perspective: Double

    init(_ fields: inout EffectFields) throws {
        let given: EffectValue? = try fields.optional("life")
        life = given ?? .constant(1e4)
        untilEnd = given == nil
        try fields.check(
            untilEnd || life.minimum >= 0.01 && life.maximum <= 60, "life", "must be between 0.01 and 60.0")
        speed = try fields.number("speed", 0, in: 0...20)
        angle = try fields.number("angle", 90, in: -720...720)
        gravity = try fields.number("gravity", 0, in: -20...20)
        drag = try fields.number("drag", 0, in: 0...30)
        inherit = try fields.plain("inherit", 0, in: -1...1)
        sway = try fields.number("sway", 0, in: 0...2)
        swayRate = try fields.number("swayRate", 0.5, in: 0...10)
        lean = try fields.number("lean", 0, in: -90...90)
        tilt = try fields.number("tilt", 0, in: -360...360)
        spin = try fields.number("spin", 0, in: -2000...2000)
        tumble = try fields.number("tumble", 0, in: -20...20)
        swing = try fields.number("swing", 0, in: -180...180)
        swingRate = try fields.number("swingRate", 1, in: 0...10)
        swingDamping = try fields.number("swingDamping", 0, in: 0...20)
        wobble = try fields.number("wobble", 0, in: 0...0.5)
        gust = try fields.number("gust", 0, in: 0...5)
        aside = try fields.value("aside", false)
        depth = try fields.number("depth", 1, in: 0...1)
        perspective = try fields.plain("perspective", 0, in: 0...1)
    }
}

/// The appearance of an emitter's particles.
struct EmitterAppearance: Sendable {
    var shape: EffectEmitter.Shape
    var sprite: String?
    /// The text that is shown as a sprite. ``EffectLibrary`` gives it a name in ``sprite``.
    let text: EffectText?
    /// True if an animated sprite moves; otherwise its first frame is shown.
    var plays = true
    /// The width of the sprite's picture over its height.
    var spriteAspect = 1.0
    /// The height of the shape (for streaks and beams, its thickness), and the ratio of its width to its height.
    var size, aspect: EffectValue
    /// The length of beams; the maximum length of ribbons.
    let length: EffectValue
    /// The seconds of flight that a streak covers; the maximum for a ribbon.
    let trail: EffectValue
    var opacity: EffectValue
    /// 0 for matter, which hides the picture; 1 for light, which only brightens it.
    let light: Double
    var colours: [EffectColour]
    let inheritColour: Bool
    /// The share of white in a particle's colour at birth; it decreases over the life.
    let heat: Double
    /// The darkening of far particles, and the blur of particles that are out of focus.
    let shade, blur: Double
    /// The seconds of growing at birth, the share by which the particle is temporarily too large, and the seconds of
    /// shrinking before death.
    let grow, overshoot, shrink: Double
    let fadeIn, fadeOut: Double
    /// Factors of size and opacity in even steps over the life; empty for a constant 1.
    let sizeOverLife, opacityOverLife: [Double]
    /// The flickers a second.
    let twinkle: EffectValue
    var glow: EffectGlow?
    let string: EffectString?
    /// The darkness of a soft shadow below the particle, 0…1.
    let shadow: Double

    init(_ fields: inout EffectFields) throws {
        shape = try fields.value("shape", .glow)
        sprite = try fields.name("sprite")
        text = try fields.optional("text")
        try fields.check(text == nil || sprite == nil, "text", "and \"sprite\" cannot be combined")
        try fields.check(
            (shape == .sprite) == (sprite != nil || text != nil), text == nil ? "sprite" : "text",
            "must be set if and only if the shape is \"sprite\"")
        size = try fields.number("size", 0.05, in: 0.0001...4)
        aspect = try fields.number("aspect", 1, in: 0.01...100)
        length = try fields.number("length", 1, in: 0.01...5)
        trail = try fields.number("trail", 0.05, in: 0.001...2)
        opacity = try fields.number("opacity", 1, in: 0...1)
        light = try fields.plain("light", 0, in: 0...1)
        colours = try fields.value("colours", [])
        inheritColour = try fields.value("inheritColour", false)
        heat = try fields.plain("heat", 0, in: 0...1)
        shade = try fields.plain("shade", 0, in: 0...1)
        blur = try fields.plain("blur", 0, in: 0...6)
        grow = try fields.plain("grow", 0, in: 0...5)
        overshoot = try fields.plain("overshoot", 0, in: 0...1)
        shrink = try fields.plain("shrink", 0, in: 0...5)
        fadeIn = try fields.plain("fadeIn", 0, in: 0...5)
        fadeOut = try fields.plain("fadeOut", 0, in: 0...5)
        sizeOverLife = try fields.steps("sizeOverLife", in: 0...4)
        opacityOverLife = try fields.steps("opacityOverLife", in: 0...1)
        twinkle = try fields.number("twinkle", 0, in: 0...20)
        glow = try fields.optional("glow")
        string = try fields.optional("string")
        shadow = try fields.plain("shadow", 0, in: 0...1)
    }

    /// Returns the value between evenly spaced key frames by linear interpolation; 1 without key frames.
    static func along(_ frames: [Double], _ t: Double) -> Double {
        guard frames.count > 1 else { return frames.first ?? 1 }
        let x = min(max(t, 0), 1) * Double(frames.count - 1)
        let i = min(Int(x), frames.count - 2)
        return EffectMath.mix(frames[i], frames[i + 1], x - Double(i))
    }
}

/// A halo of light around each particle.
struct EffectGlow: Sendable, Decodable {
    /// The size of the halo as a multiple of the particle's size.
    let size: Double
    var opacity: Double

    init(from decoder: any Decoder) throws {
        var fields = try EffectFields(decoder)
        size = try fields.plain("size", 3, in: 0.1...50)
        opacity = try fields.plain("opacity", 0.3, in: 0...1)
        try fields.finish()
    }
}

/// A string that hangs from each particle.
struct EffectString: Sendable, Decodable {
    /// The length of the string as a multiple of the particle's size.
    let length: Double
    let width: Double
    let colour: EffectColour

    init(from decoder: any Decoder) throws {
        var fields = try EffectFields(decoder)
        length = try fields.plain("length", 1, in: 0...5)
        width = try fields.plain("width", 0.02, in: 0.001...1)
        colour = try fields.value("colour", .white)
        try fields.finish()
    }
}

/// The limits of descriptions, which keep drawing time and memory bounded for any file.
enum EffectLimits {
    /// The maximum number of an effect's emitters, children included.
    static let emitters = 64
    /// The maximum depth of emitters that start from emitters.
    static let generations = 4
    /// The maximum number of particles computed for one frame, children included.
    static let particles = 12_000.0
    /// The maximum area that all particles of a frame may cover together, in full pictures.
    static let pictures = 80.0

    /// - Throws: If the description exceeds a limit.
    static func check(_ description: EffectDescription, _ decoder: any Decoder) throws {
        if let fault = fault(in: description) {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: fault))
        }
    }

    /// Returns the limit that a description exceeds, in words for the user; `nil` if it exceeds none.
    static func fault(in description: EffectDescription) -> String? {
        guard description.emitters.allSatisfy({ $0.generations <= generations }) else {
            return "children may be nested \(generations) deep at most"
        }
        guard description.emitters.reduce(0, { $0 + $1.family }) <= emitters else {
            return "an effect may have at most \(emitters) emitters, including children"
        }
        let load = description.emitters.reduce(DrawingEffort()) { $0 + $1.load(whileParents: 1) }
        guard load.particles <= particles else {
            return
                "up to \(load.particles.rounded().plainText) particles would be alive at once; the limit is \(Int(particles)); "
                + "lower a \"count\", a \"rate\" or a \"life\""
        }
        guard load.pictures <= pictures else {
            return
                "its particles could cover the picture \(load.pictures.rounded().plainText) times over; the limit is \(Int(pictures)); "
                + "lower a \"size\", a \"count\" or a \"rate\""
        }
        return nil
    }
}

/// The upper bounds of the work for a frame of an effect.
struct DrawingEffort {
    var particles = 0.0
    var pictures = 0.0

    static func + (a: DrawingEffort, b: DrawingEffort) -> DrawingEffort {
        DrawingEffort(particles: a.particles + b.particles, pictures: a.pictures + b.pictures)
    }
}

extension EffectEmitter {
    /// The number of this emitter and its descendants.
    fileprivate var family: Int { children.reduce(1) { $0 + $1.family } }
    fileprivate var generations: Int { 1 + (children.map(\.generations).max() ?? 0) }

    /// - Parameter parents: The number of parent particles; each of them starts the emitter separately.
    fileprivate func load(whileParents parents: Double) -> DrawingEffort {
        // A parent counts until its descendants have gone, because it is needed to compute them.
        let born = birth.count ?? birth.rate * min(reach, 60) + 2
        let particles = parents * born
        let own = DrawingEffort(particles: particles, pictures: particles * appearance.greatestCover)
        return children.reduce(own) { $0 + $1.load(whileParents: particles) }
    }
}

extension EmitterAppearance {
    /// The maximum area that one particle covers, as a share of a picture twice as wide as high.
    fileprivate var greatestCover: Double {
        let height = size.maximum * max(1, sizeOverLife.max() ?? 1) * (1 + overshoot)
        var cover = min(height, 2) * min(height * aspect.maximum * max(spriteAspect, 1), 4)
        switch shape {
        case .beam: cover = min(height, 2) * min(length.maximum, 4)
        case .streak, .ribbon: cover = min(height, 2) * 4
        default: break
        }
        if let glow { cover += min(height * glow.size, 2) * min(height * glow.size, 4) }
        if shadow > 0 { cover *= 4 }
        return min(cover, 6) / 2
    }
}
