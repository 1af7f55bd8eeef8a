import Platform

/// The style of reactions: their intensity, calmness and colours.
///
/// A style changes pictures only. Reactions, their times and all events stay the same.
///
/// ```swift
/// configuration.style = ReactionStyle(intensity: 0.5, palette: Palette.designed["pastel"])
/// session.style.isCalm = true  // while the session runs
/// ```
public struct ReactionStyle: Sendable, Hashable {
    /// The intensity, 0…1: scales the number of pieces, the darkening of the room and the brightness of lights. At 0,
    /// an eighth of the pieces remains, at least four. The room is not darkened, and light has 40 % of its brightness,
    /// so that a gesture still has a visible response.
    public var intensity = 1.0
    /// True if a small icon replaces the effect: it fades in and out at the reaction's place, without motion, flash or
    /// darkening.
    public var isCalm = false
    /// The colours that replace the effects' own.
    public var palette: Palette?

    /// Creates a style; the default one without arguments.
    public init(intensity: Double = 1, isCalm: Bool = false, palette: Palette? = nil) {
        self.intensity = intensity
        self.isCalm = isCalm
        self.palette = palette
    }
}

/// Colours that replace the effects' own colours in order, and repeat if an effect has more colours than the palette.
///
/// Rain and thumbs keep their own colours, except if ``isEverywhere`` is set.
public struct Palette: Sendable, Hashable {
    /// The colours, as in `#ff8800`.
    public let colours: [String]
    /// True if the colours also apply to effects that would keep their own.
    public let isEverywhere: Bool
    package let effectPalette: EffectPalette

    /// Creates a custom palette.
    ///
    /// ```swift
    /// let brand = try Palette(colours: ["#ff8800", "#0088ff"], isEverywhere: true)
    /// ```
    ///
    /// - Parameters:
    ///   - colours: 1 to 32, each as in `#ff8800`.
    ///   - isEverywhere: Applies the colours also to effects that would keep their own.
    /// - Throws: ``FlourishError/Code/usage`` for anything else.
    public init(colours: [String], isEverywhere: Bool = false) throws(FlourishError) {
        guard EffectPalette.counts.contains(colours.count) else {
            throw FlourishError(
                .usage, "a palette has \(EffectPalette.counts.lowerBound) to \(EffectPalette.counts.upperBound) colours"
            )
        }
        var parsed: [EffectColour] = []
        for text in colours {
            guard let colour = EffectColour(hex: text) else {
                throw FlourishError(.usage, "'\(text.prefix(40))' is not a colour such as #ff8800")
            }
            parsed.append(colour)
        }
        self.init(EffectPalette(colours: parsed, isEverywhere: isEverywhere))
    }

    /// Creates a palette from one of three kinds of text: the name of a designed one (``designed``), colours such as
    /// `#ff8800,#0088ff`, or the path of a file with content such as `{"colours": ["#ff8800", "#0088ff"]}`.
    ///
    /// ```swift
    /// let named = try Palette("autumn")
    /// let custom = try Palette("#ff8800,#0088ff")
    /// ```
    ///
    /// - Throws: ``FlourishError/Code/usage`` if the text is none of them, ``FlourishError/Code/inputUnusable`` if the
    ///   file is invalid.
    public init(_ text: String) throws(FlourishError) {
        if let palette = Self.designed[text] {
            self = palette
        } else if text.hasPrefix("#") {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            try self.init(colours: parts.map { String($0.drop { $0 == " " }) })
        } else if text.contains("/") || text.contains(".") {
            do {
                self.init(try EffectPalette(file: text))
            } catch {
                throw FlourishError(error)
            }
        } else {
            throw FlourishError(
                .usage,
                "unknown palette '\(text.prefix(40))'; \(text.suggestion(among: Self.names))use one of \(Self.names.joined(separator: ", ")), "
                    + "colours such as \"#ff8800,#0088ff\", or a file")
        }
    }

    private init(_ palette: EffectPalette) {
        effectPalette = palette
        colours = palette.colours.map(\.hex)
        isEverywhere = palette.isEverywhere
    }

    /// The names of the built-in palettes, in a fixed order.
    public static let names = ["classic", "pastel", "mono", "autumn", "neon", "ocean", "gold"]

    /// The built-in palettes, by name.
    public static let designed: [String: Palette] = [
        "classic": designed("#f0354b", "#ff9f1a", "#ffd93b", "#34c771", "#2f9bff", "#8f5bff"),
        "pastel": designed("#ff9fb2", "#ffcf9f", "#fbeea6", "#a8e2bb", "#9bcdf3", "#c9b3f2"),
        "mono": designed("#ffffff", "#c9ced8", "#8f97a6", "#e9ecf1", "#aeb5c2"),
        "autumn": designed("#c23b22", "#e2822f", "#f2b632", "#8a9a3c", "#8e2f45", "#d99a5b"),
        "neon": designed("#ff2bd6", "#19f0ff", "#b4ff2b", "#ffe600", "#8a4bff", "#ff6a00"),
        "ocean": designed("#1273c4", "#19b5c9", "#7fe0d0", "#2b4fb8", "#bfeaf5", "#3f8fe0"),
        "gold": designed("#f6c644", "#fff1c1", "#e0972b", "#ffd980", "#c98b2b"),
    ]

    private static func designed(_ colours: String...) -> Palette {
        Palette(EffectPalette(colours: colours.compactMap { EffectColour(hex: $0) }))
    }

    /// Two palettes are equal if they have the same colours for the same effects.
    public static func == (a: Palette, b: Palette) -> Bool { a.effectPalette == b.effectPalette }

    /// Hashes the colours and the effects that they apply to.
    public func hash(into hasher: inout Hasher) { hasher.combine(effectPalette) }
}

/// Colours that replace the effects' own.
package struct EffectPalette: Sendable, Hashable {
    package let colours: [EffectColour]
    /// True if the colours also apply to effects that would keep their own: rain and thumbs.
    package let isEverywhere: Bool

    /// The possible numbers of colours.
    package static let counts = 1...32

    /// - Precondition: There is at least one colour.
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
    /// - Throws: ``EffectError`` with the file and the invalid key.
    package init(file: String) throws(EffectError) {
        self = try EffectFile.decode(EffectPalette.self, from: EffectFile.read(file), file: file)
    }
}
