package import Reactions

/// The style of a run's effects: their intensity, calm and palette.
///
/// A style is applied to descriptions once, before rendering. Rendering uses the resulting descriptions, so styles do
/// not add to its cost.
package struct EffectStyle: Sendable, Hashable {
    /// The intensity, 0…1. Below 1, effects have fewer pieces, and less darkening and light.
    package let intensity: Double
    /// True if each effect is replaced by a small icon that only fades in and out.
    package let isCalm: Bool
    /// The colours that replace the effects' own; `nil` to keep them.
    package let palette: EffectPalette?

    package init(intensity: Double = 1, isCalm: Bool = false, palette: EffectPalette? = nil) {
        self.intensity = min(max(intensity, 0), 1)
        self.isCalm = isCalm
        self.palette = palette
    }

    /// The share of the pieces of a burst or a stream that remains. The share is at least an eighth, so that a gesture
    /// always has a visible response.
    package var pieces: Double { 0.125 + 0.875 * intensity }
    /// The share of light's brightness that remains.
    var brightness: Double { 0.4 + 0.6 * intensity }
    /// A burst with at most this number of pieces is the main figure of the effect, such as a heart or a fan of beams,
    /// and keeps all of them.
    static let fewPieces = 4.0
}

extension EffectDescription {
    /// Returns the effect in a style. The default style changes nothing.
    package func styled(_ style: EffectStyle) -> EffectDescription {
        let coloured = style.palette.map(recoloured) ?? self
        // A calm effect is weak already, so the intensity does not apply to it.
        if style.isCalm { return coloured.calmed() }
        return style.intensity < 1 ? coloured.weakened(by: style) : coloured
    }

    /// Returns the effect with a share of the pieces of its bursts and streams.
    package func thinned(to share: Double) -> EffectDescription {
        guard share < 1 else { return self }
        var thin = self
        thin.emitters = emitters.map { emitter in emitter.changed { birth, _ in birth.thin(to: share) } }
        return thin
    }

    /// Returns the effect with fewer pieces, and less darkening and light.
    private func weakened(by style: EffectStyle) -> EffectDescription {
        var weak = self
        weak.dim?.amount *= style.intensity
        weak.emitters = emitters.map { emitter in
            emitter.changed { birth, appearance in
                birth.thin(to: style.pieces)
                let dark = appearance.light * (1 - style.brightness)
                appearance.opacity = appearance.opacity.scaled(by: 1 - dark)
                appearance.glow?.opacity *= style.brightness
            }
        }
        return weak
    }
}

extension EffectBirth {
    /// Reduces the pieces to a share. A burst of few pieces keeps all of them.
    fileprivate mutating func thin(to share: Double) {
        if let count, count > EffectStyle.fewPieces {
            self.count = max((count * share).rounded(), EffectStyle.fewPieces)
        }
        rate *= share
    }
}

extension EffectEmitter {
    /// Returns the emitter with changed births and appearances, including those of its descendants.
    func changed(_ change: (inout EffectBirth, inout EmitterAppearance) -> Void) -> EffectEmitter {
        var (birth, appearance) = (birth, appearance)
        change(&birth, &appearance)
        return EffectEmitter(
            layer: layer, birth: birth, motion: motion, appearance: appearance,
            children: children.map { $0.changed(change) }, when: when)
    }
}

extension EffectLibrary {
    /// Returns the effects in a style.
    package func styled(_ style: EffectStyle) -> EffectLibrary {
        var styled = self
        styled.descriptions = descriptions.mapValues { $0.styled(style) }
        return styled
    }

    /// Returns the effects with a share of their dimming of the room, 0…1.
    package func dimming(by share: Double) -> EffectLibrary {
        var library = self
        for type in descriptions.keys { library.descriptions[type]?.dim?.amount *= share }
        return library
    }
}

/// Colours of an effect that a palette replaces by the same colour. In JSON a group is one colour, or a list of
/// colours.
struct EffectColourGroup: Sendable, Hashable, Decodable {
    let colours: [EffectColour]

    init(from decoder: any Decoder) throws {
        if var list = try? decoder.unkeyedContainer() {
            var colours: [EffectColour] = []
            while !list.isAtEnd { colours.append(try list.decode(EffectColour.self)) }
            self.colours = colours
        } else {
            colours = [try EffectColour(from: decoder)]
        }
    }
}

extension EffectDescription {
    /// Returns the effect in a palette's colours. The palette's first colour replaces the effect's first colour, and so
    /// on. The palette's colours repeat if it has fewer than the effect.
    func recoloured(by palette: EffectPalette) -> EffectDescription {
        let own = replacedColours(everywhere: palette.isEverywhere)
        if own.isEmpty { return self }
        var colours: [EffectColour: EffectColour] = [:]
        for (place, group) in own.enumerated() {
            for colour in group { colours[colour] = palette.colours[place % palette.colours.count] }
        }
        var recoloured = self
        if let colour = icon?.colour { recoloured.icon?.colour = colours[colour] ?? colour }
        recoloured.emitters = emitters.map { emitter in
            emitter.changed { _, appearance in
                appearance.colours = appearance.colours.map { own in
                    guard let new = colours[own] else { return own }
                    // Light of a dark colour would hardly be visible.
                    return appearance.light >= 0.5 ? new.brightest : new
                }
            }
        }
        return recoloured
    }

    /// Returns the colours that a palette replaces, in groups that get the same colour.
    private func replacedColours(everywhere: Bool) -> [[EffectColour]] {
        if let palette, !(palette.isEmpty && everywhere) { return palette.map(\.colours) }
        return emitters.reduce(into: []) { $1.collectColours(into: &$0) }
    }
}

extension EffectEmitter {
    /// Adds each colour once, in the order of the description.
    func collectColours(into found: inout [[EffectColour]]) {
        for colour in appearance.colours where !found.contains([colour]) { found.append([colour]) }
        for child in children { child.collectColours(into: &found) }
    }
}

extension EffectColour {
    package static let black = EffectColour(red: 0, green: 0, blue: 0)

    /// The colour with the same hue at full brightness; black becomes white.
    var brightest: EffectColour {
        let maximum = max(red, green, blue)
        return maximum > 0 ? scaled(1 / maximum) : .white
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

extension ReactionStyle {
    /// The style in the form that effects use.
    package var effectStyle: EffectStyle {
        EffectStyle(intensity: intensity, isCalm: isCalm, palette: palette?.effectPalette)
    }
}
