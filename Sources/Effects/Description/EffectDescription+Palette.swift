package import Reactions

/// Colours of an effect that stay alike whatever the palette: in JSON one, or a list of them.
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
    /// The effect in a palette's colours: the first of its own becomes the palette's first, and
    /// so on, and round again where the palette has fewer.
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
            emitter.changed { _, look in
                look.colours = look.colours.map { own in
                    guard let new = colours[own] else { return own }
                    // There is no dark light.
                    return look.light >= 0.5 ? new.brightest : new
                }
            }
        }
        return recoloured
    }

    /// The colours that a palette replaces, those that stay alike together.
    private func replacedColours(everywhere: Bool) -> [[EffectColour]] {
        if let palette, !(palette.isEmpty && everywhere) { return palette.map(\.colours) }
        return emitters.reduce(into: []) { $1.collectColours(into: &$0) }
    }

    /// The colours named by `palette` that no emitter has: a slip of the pen.
    package var unusedPaletteColours: [EffectColour] {
        let used = emitters.reduce(into: [[EffectColour]]()) { $1.collectColours(into: &$0) }
        return (palette ?? []).flatMap(\.colours).filter { !used.contains([$0]) }
    }
}

extension EffectEmitter {
    /// Adds each colour once, in the order of the description.
    fileprivate func collectColours(into found: inout [[EffectColour]]) {
        for colour in look.colours where !found.contains([colour]) { found.append([colour]) }
        for child in children { child.collectColours(into: &found) }
    }
}
