/// Colours that take the place of the effects' own.
package struct EffectPalette: Sendable, Hashable {
    package let colours: [EffectColour]
    /// Whether effects that would keep their own colours (rain is blue, a hand is not) take
    /// these too.
    package let isEverywhere: Bool

    /// How many colours a palette may have.
    package static let counts = 1...32

    /// - Precondition: there is a colour.
    package init(colours: [EffectColour], isEverywhere: Bool = false) {
        precondition(!colours.isEmpty)
        self.colours = colours
        self.isEverywhere = isEverywhere
    }
}

extension EffectPalette: Decodable {
    package init(from decoder: any Decoder) throws {
        var fields = try EffectFields(decoder)
        colours = try fields.required("colours")
        isEverywhere = try fields.value("everywhere", false)
        _ = try fields.optional("name", String.self)
        try fields.check(
            Self.counts.contains(colours.count), "colours",
            "must hold \(Self.counts.lowerBound) to \(Self.counts.upperBound) colours")
        try fields.finish()
    }

    /// Reads a palette file: `{"colours": ["#ff8800", …]}`.
    ///
    /// - Throws: ``EffectError`` with the file and the key at fault.
    package init(file: String) throws(EffectError) {
        self = try EffectFile.decode(EffectPalette.self, from: EffectFile.read(file), file: file)
    }
}
