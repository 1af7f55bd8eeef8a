package import Reactions

/// A text as a picture: its characters, its font and its colours. ``TextLayout`` shapes it.
package struct StyledText: Sendable, Hashable {
    /// The lines, separated by line feeds.
    package var string: String
    /// The name of an installed font, or of a font file in a folder that the caller knows; `nil` for the usual one.
    package var font: String?
    package var colour: EffectColour
    /// The width of the line around the letters as a share of the text's height; 0 for none.
    package var outlineWidth: Double
    package var outlineColour: EffectColour

    package init(
        _ string: String, font: String? = nil, colour: EffectColour = .white, outlineWidth: Double = usualOutlineWidth,
        outlineColour: EffectColour = usualOutlineColour
    ) {
        self.string = string
        self.font = font
        self.colour = colour
        self.outlineWidth = outlineWidth
        self.outlineColour = outlineColour
    }

    /// White letters with this outline are legible on all videos.
    package static let usualOutlineWidth = 0.07
    package static let usualOutlineColour = EffectColour(red: 0.08, green: 0.08, blue: 0.11)

    /// The maximum number of characters as a reader counts them.
    package static let greatestLength = 120
    /// The maximum number of Unicode's characters, several of which may form one for the reader.
    private static let greatestScalars = 480
    private static let greatestLines = 6

    package var lines: [String] { Self.lines(of: string) }

    private static func lines(of string: String) -> [String] {
        string.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Returns the reason for refusing a text, in words for the user; `nil` for a usable text.
    package static func fault(in string: String, longest: Int = greatestLength) -> String? {
        if string.allSatisfy(\.isWhitespace) { return "the text is empty" }
        if string.count > longest { return "the text has \(string.count) characters; the limit is \(longest)" }
        let scalars = string.unicodeScalars.count
        if scalars > greatestScalars {
            return "the text consists of \(scalars) Unicode code points; the limit is \(greatestScalars)"
        }
        if lines(of: string).count > greatestLines { return "the text has more than \(greatestLines) lines" }
        guard let control = string.unicodeScalars.first(where: isControl) else { return nil }
        return "the text contains the control character \(name(of: control)); remove it"
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control: scalar != "\n"
        case .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: true
        // Characters that change the direction of the text; others of this category belong to scripts and emoji.
        case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x206F).contains(scalar.value)
        default: false
        }
    }

    /// Returns a character's number, as in `U+1F389`.
    static func name(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
