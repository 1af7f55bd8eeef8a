/// Colours that take the place of the effects' own: the first replaces an effect's first, and
/// so on, and round again where there are fewer.
///
/// Confetti, balloons, fireworks, lasers and hearts take them. Rain and thumbs keep their own
/// unless ``isEverywhere`` is set.
public struct Palette: Sendable, Hashable {
    /// The colours, as in `#ff8800`.
    public let colours: [String]
    /// Whether effects that would keep their own colours take these too.
    public let isEverywhere: Bool
    package let effectPalette: EffectPalette

    /// A palette of one's own.
    ///
    /// - Parameters:
    ///   - colours: 1 to 32, each as in `#ff8800`.
    ///   - isEverywhere: whether effects that would keep their own colours take these too.
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

    /// A palette by one of three kinds of text: the name of a designed one (``designed``), colours
    /// such as `#ff8800,#0088ff`, or the path of a file such as `{"colours": ["#ff8800", "#0088ff"]}`.
    ///
    /// - Throws: ``FlourishError/Code/usage`` where it is none of them,
    ///   ``FlourishError/Code/inputUnusable`` for a file that holds something else.
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
                "there is no palette '\(text.prefix(40))'; choose one of \(Self.names.joined(separator: ", ")), "
                    + "colours such as \"#ff8800,#0088ff\", or a file")
        }
    }

    private init(_ palette: EffectPalette) {
        effectPalette = palette
        colours = palette.colours.map(\.hex)
        isEverywhere = palette.isEverywhere
    }

    /// The names of the palettes that Flourish brings, in a fixed order.
    public static let names = ["classic", "pastel", "mono", "autumn", "neon", "ocean", "gold"]

    /// The palettes that Flourish brings, by name.
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

    /// Two palettes are the same if they have the same colours for the same effects.
    public static func == (a: Palette, b: Palette) -> Bool { a.effectPalette == b.effectPalette }

    /// Hashes what makes palettes the same.
    public func hash(into hasher: inout Hasher) { hasher.combine(effectPalette) }
}
