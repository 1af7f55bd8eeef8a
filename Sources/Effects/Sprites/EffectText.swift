import Lettering
import Reactions

/// A text in a description that is shown as a sprite.
struct EffectText: Sendable, Hashable, Decodable {
    let string: String
    let font: String?
    /// `nil` for white letters, or for those in the particle's colours.
    let colour: EffectColour?
    let outlineWidth: Double
    let outlineColour: EffectColour
    /// The bubble behind the text; `nil` for none.
    let bubble: TextBubble?

    init(from decoder: any Decoder) throws {
        if let plain = try? decoder.singleValueContainer().decode(String.self) {
            if let fault = StyledText.fault(in: plain) {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: fault))
            }
            (string, font, colour, bubble) = (plain, nil, nil, nil)
            (outlineWidth, outlineColour) = (StyledText.usualOutlineWidth, StyledText.usualOutlineColour)
            return
        }
        var fields = try EffectFields(decoder)
        string = try fields.required("string")
        let fault = StyledText.fault(in: string)
        try fields.check(fault == nil, "string", fault ?? "")
        font = try fields.optional("font")
        try fields.check(
            font.map { (1...80).contains($0.count) && !$0.contains("/") } ?? true, "font",
            "must be the name of an installed font, or of a font file beside the description")
        colour = try fields.optional("colour")
        let outline: Outline? = try fields.optional("outline")
        outlineWidth = outline?.width ?? StyledText.usualOutlineWidth
        outlineColour = outline?.colour ?? StyledText.usualOutlineColour
        bubble = try fields.optional("bubble")
        try fields.finish()
    }

    init(_ string: String, bubble: TextBubble? = nil) {
        self.string = string
        self.bubble = bubble
        (font, colour) = (nil, nil)
        (outlineWidth, outlineColour) = (StyledText.usualOutlineWidth, StyledText.usualOutlineColour)
    }

    private struct Outline: Decodable {
        let width: Double
        let colour: EffectColour

        init(from decoder: any Decoder) throws {
            var fields = try EffectFields(decoder)
            width = try fields.plain("width", StyledText.usualOutlineWidth, in: 0...0.3)
            colour = try fields.value("colour", StyledText.usualOutlineColour)
            try fields.finish()
        }
    }

    /// The grey that a tint replaces by its colour.
    private static let middleGrey = EffectColour(red: 0.5, green: 0.5, blue: 0.5)

    /// - Parameter isTinted: Whether the particles have colours.
    func styled(isTinted: Bool) -> StyledText {
        StyledText(
            string, font: font, colour: colour ?? (isTinted ? Self.middleGrey : .white),
            // In a bubble, white letters need less of an outline.
            outlineWidth: bubble == nil ? outlineWidth : outlineWidth / 2, outlineColour: outlineColour)
    }
}

/// A bubble behind a text.
struct TextBubble: Sendable, Hashable, Decodable {
    let colour: EffectColour

    /// The blue of the bubble around the thumb.
    static let usualColour = EffectColour(red: 0.16, green: 0.42, blue: 0.68)

    init(colour: EffectColour = usualColour) { self.colour = colour }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let isShown = try? container.decode(Bool.self) {
            guard isShown else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "must be true or an object; leave it out for none")
            }
            colour = Self.usualColour
            return
        }
        var fields = try EffectFields(decoder)
        colour = try fields.value("colour", Self.usualColour)
        try fields.finish()
    }
}
