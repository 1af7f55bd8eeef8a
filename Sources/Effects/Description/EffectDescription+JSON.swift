package import Reactions

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
            "shape": .text(shape.rawValue), "sprite": sprite.map { .integer(Int64(spriteNumber($0))) } ?? .null,
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
