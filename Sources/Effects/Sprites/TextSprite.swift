import Lettering
import Raster
import Reactions

/// A shaped text that is drawn as a sprite, in a bubble or without one.
package struct TextSprite: Sendable {
    private let layout: TextLayout
    private let bubble: TextBubble?

    /// The maximum width of a text over its height.
    private static let greatestAspect = 30.0
    /// The preferred aspect ratio of a text in a bubble, and the maximum number of its lines.
    private static let bubbleAspect = 2.6
    private static let bubbleLines = 4

    /// - Parameters:
    ///   - isTinted: Whether the particles have colours.
    ///   - folder: The folder of the description, which may contain fonts.
    /// - Throws: `TextFault` if it cannot be drawn.
    init(_ text: EffectText, isTinted: Bool, fonts: FontCollection, beside folder: String?) throws(TextFault) {
        let styled = text.styled(isTinted: isTinted)
        bubble = text.bubble
        layout =
            bubble == nil
            ? try TextLayout(styled, fonts: fonts, beside: folder)
            : try Self.wrapped(styled, fonts: fonts, beside: folder)
        if layout.aspectRatio > Self.greatestAspect {
            throw TextFault("the text is too long for one line; break it with \\n")
        }
    }

    /// Shapes a text in as many lines as make it about as wide as bubbles are.
    private static func wrapped(
        _ text: StyledText, fonts: FontCollection, beside folder: String?
    ) throws(TextFault) -> TextLayout {
        var best = try TextLayout(text, fonts: fonts, beside: folder)
        if text.lines.count > 1 { return best }
        for count in 2...bubbleLines {
            // One more line only if it brings the text nearer to the preferred ratio.
            guard best.aspectRatio > bubbleAspect, let lines = balanced(text.string, count) else { return best }
            var broken = text
            broken.string = lines.joined(separator: "\n")
            let layout = try TextLayout(broken, fonts: fonts, beside: folder)
            if distance(layout.aspectRatio) < distance(best.aspectRatio) { best = layout }
        }
        return best
    }

    private static func distance(_ aspect: Double) -> Double { max(aspect / bubbleAspect, bubbleAspect / aspect) }

    /// Returns the words in lines of similar lengths; `nil` if there are too few words.
    private static func balanced(_ text: String, _ count: Int) -> [String]? {
        let words = text.split(separator: " ")
        guard words.count >= count else { return nil }
        // The shortest width for which the words need no more lines.
        for width in (words.map(\.count).max() ?? 1)...max(text.count, 1) {
            var lines: [[Substring]] = [[]]
            var used = 0
            for word in words {
                if used > 0, used + 1 + word.count > width {
                    lines.append([])
                    used = 0
                }
                lines[lines.count - 1].append(word)
                used += (used > 0 ? 1 : 0) + word.count
            }
            if lines.count <= count { return lines.map { $0.joined(separator: " ") } }
        }
        return nil
    }

    // MARK: Drawing

    /// The space around the text in a bubble, as shares of the text's picture's height for one line.
    private var padding: (x: Double, y: Double) {
        bubble == nil ? (0, 0) : (0.52 * lineShare, 0.3 * lineShare)
    }

    var lineCount: Int { layout.text.lines.count }

    /// The height of one line as a share of the text's picture.
    private var lineShare: Double { 1 / Double(lineCount) }

    /// The width of the picture over its height.
    var aspectRatio: Double {
        bubble == nil ? layout.aspectRatio : max(1, (layout.aspectRatio + 2 * padding.x) / (1 + 2 * padding.y))
    }

    /// Draws the text and its bubble.
    ///
    /// - Throws: The rasterizer's errors.
    func picture(height: Int, rasterize: SpriteRasterizer) throws -> RGBAImage {
        guard let bubble else { return layout.picture(height: height) }
        let width = max(1, Int((Double(height) * aspectRatio).rounded()))
        var image = try rasterize(bubble.svg(aspectRatio: Double(width) / Double(height)), width, height)
        let text = layout.picture(height: Int((Double(height) / (1 + 2 * padding.y)).rounded()), enlarges: true)
        image.draw(
            text, x: max(0, (image.width - text.width) / 2), y: max(0, (image.height - text.height) / 2),
            replacing: false)
        return image
    }
}

extension TextBubble {
    /// Returns a bubble of glass that fills a picture.
    func svg(aspectRatio: Double) -> [UInt8] {
        let height = 400.0, width = (height * aspectRatio).rounded()
        let radius = min(height / 2 - 6, 150)
        func part(_ inset: Double, _ style: String) -> String {
            "<rect x=\"\(inset)\" y=\"\(inset)\" width=\"\(width - 2 * inset)\" height=\"\(height - 2 * inset)\" "
                + "rx=\"\(radius - inset + 6)\" \(style)/>"
        }
        func stop(_ offset: Double, _ colour: EffectColour, _ opacity: Double) -> String {
            "<stop offset=\"\(offset)\" stop-color=\"\(colour.hex)\" stop-opacity=\"\(opacity)\"/>"
        }
        func mixed(_ other: Double, _ share: Double) -> EffectColour {
            func mix(_ own: Double) -> Double { own + (other - own) * share }
            return EffectColour(red: mix(colour.red), green: mix(colour.green), blue: mix(colour.blue))
        }
        let gleam = height * 0.17
        let text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)"><defs>
            <linearGradient id="body" x1="0" y1="0" x2="0" y2="1">\(stop(0, mixed(1, 0.34), 0.86))\
            \(stop(0.35, mixed(1, 0.1), 0.9))\(stop(1, mixed(0, 0.3), 0.92))</linearGradient>
            <linearGradient id="rim" x1="0" y1="0" x2="0" y2="1">\(stop(0, .white, 0.85))\
            \(stop(0.5, mixed(1, 0.55), 0.45))\(stop(1, mixed(1, 0.75), 0.75))</linearGradient>
            <linearGradient id="shine" x1="0" y1="0" x2="0" y2="1">\(stop(0, .white, 0.42))\
            \(stop(1, .white, 0.02))</linearGradient></defs>
            \(part(6, "fill=\"url(#body)\""))
            <rect x="\(gleam)" y="16" width="\(width - 2 * gleam)" height="\(height * 0.3)" rx="\(height * 0.15)" fill="url(#shine)"/>
            \(part(9, "fill=\"none\" stroke=\"url(#rim)\" stroke-width=\"7\""))
            <ellipse cx="\(gleam * 1.1)" cy="\(height * 0.2)" rx="\(height * 0.085)" ry="\(height * 0.034)" \
            transform="rotate(-38 \(gleam * 1.1) \(height * 0.2))" fill="#ffffff" fill-opacity="0.8"/>
            </svg>
            """
        return Array(text.utf8)
    }
}

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
