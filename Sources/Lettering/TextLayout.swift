internal import CHarfBuzz
package import Reactions

/// A shaped text: which glyphs of which fonts are where. Lengths are multiples of the text's size, y is downward.
package struct TextLayout: Sendable {
    /// A glyph with its origin on the baseline.
    struct Glyph: Sendable, Hashable {
        /// The index in ``fonts``.
        var font: Int
        var number: UInt32
        var x, y: Double
    }

    package let text: StyledText
    private(set) var fonts: [FontReference] = []
    private(set) var glyphs: [Glyph] = []
    /// The box of the picture, margins for the outline included.
    private(set) var left = 0.0, top = 0.0, width = 0.0, height = 0.0
    /// The greatest size in pixels at which nothing has to be enlarged; `nil` for outlines.
    private(set) var greatestSize: Double?

    /// The distance between baselines.
    private static let lineHeight = 1.18
    /// The empty border of the picture.
    private static let margin = 0.02

    /// The width of the picture over its height.
    package var aspectRatio: Double { width / height }

    /// Shapes a text. Its lines are centred.
    ///
    /// - Parameter folder: A folder with font files of its own.
    /// - Throws: ``TextFault`` if the text has no usable characters, its font or the font of a character is not
    ///   installed, or HarfBuzz is missing.
    package init(_ text: StyledText, fonts collection: FontCollection, beside folder: String? = nil) throws(TextFault) {
        if let fault = StyledText.fault(in: text.string) { throw TextFault(fault) }
        guard chb_is_available() else {
            throw TextFault(
                "texts need HarfBuzz, which is not installed; install the package libharfbuzz0b or harfbuzz",
                isUnavailable: true)
        }
        self.text = text
        let choice = try FontChoice(collection, named: text.font, beside: folder)
        var ink = InkBox()
        for (number, line) in text.lines.enumerated() {
            let shaped = try ShapedLine(line, choice)
            let offset = (x: -shaped.width / 2, y: Double(number) * Self.lineHeight)
            for glyph in shaped.glyphs {
                let font = choice.index(of: glyph.font)
                let placed = Glyph(font: font, number: glyph.number, x: glyph.x + offset.x, y: glyph.y + offset.y)
                glyphs.append(placed)
                if let box = choice.ink(of: glyph.number, in: glyph.font) {
                    ink.add(box.moved(x: placed.x, y: placed.y))
                }
            }
            // Letters keep their size relative to the line; a line of emoji alone fills the picture.
            if let heights = shaped.heights {
                ink.add(
                    InkBox(
                        left: offset.x, top: offset.y - heights.above, right: -offset.x,
                        bottom: offset.y + heights.below))
            }
        }
        fonts = choice.used
        guard ink.right > ink.left, ink.bottom > ink.top else { throw TextFault("the text shows nothing") }
        greatestSize = choice.greatestSize
        // Pictures have no outline.
        let border = (greatestSize == nil ? text.outlineWidth : 0) + Self.margin
        (left, top) = (ink.left - border, ink.top - border)
        (width, height) = (ink.right + border - left, ink.bottom + border - top)
    }
}

/// The rectangle of drawn ink, y downward.
struct InkBox {
    var left = Double.infinity, top = Double.infinity, right = -Double.infinity, bottom = -Double.infinity

    mutating func add(_ other: InkBox) {
        (left, top) = (min(left, other.left), min(top, other.top))
        (right, bottom) = (max(right, other.right), max(bottom, other.bottom))
    }

    func moved(x: Double, y: Double) -> InkBox {
        InkBox(left: left + x, top: top + y, right: right + x, bottom: bottom + y)
    }
}

/// A shaped line that begins at 0.
struct ShapedLine {
    private(set) var glyphs: [(font: FontReference, number: UInt32, x: Double, y: Double)] = []
    private(set) var width = 0.0
    /// The heights of the fonts of letters; `nil` for a line of emoji alone.
    private(set) var heights: (above: Double, below: Double)?

    /// Characters of one direction, font and script.
    private struct Run {
        var range: Range<Int>
        var level: Int
        var font: FontReference
        var script: UInt32
    }

    init(_ line: String, _ choice: FontChoice) throws(TextFault) {
        let scalars = Array(line.unicodeScalars)
        let runs = try Self.runs(line, scalars, choice)
        for index in TextDirection.visualOrder(runs.map(\.level)) {
            try add(runs[index], of: scalars, choice)
        }
    }

    private static func runs(
        _ line: String, _ scalars: [Unicode.Scalar], _ choice: FontChoice
    ) throws(TextFault) -> [Run] {
        let levels = TextDirection.levels(of: scalars).levels
        var runs: [Run] = []
        var place = 0
        var script = scalars.lazy.compactMap { FontChoice.script(of: $0) }.first ?? 0
        for character in line {
            let count = character.unicodeScalars.count
            script = character.unicodeScalars.lazy.compactMap { FontChoice.script(of: $0) }.first ?? script
            let font = try choice.font(for: character, after: runs.last?.font)
            let run = Run(range: place..<place + count, level: levels[place], font: font, script: script)
            place += count
            if let last = runs.last, (last.level, last.font, last.script) == (run.level, run.font, run.script) {
                runs[runs.count - 1].range = last.range.lowerBound..<place
            } else {
                runs.append(run)
            }
        }
        return runs
    }

    private mutating func add(_ run: Run, of scalars: [Unicode.Scalar], _ choice: FontChoice) throws(TextFault) {
        let shaper = try choice.shaper(run.font)
        for glyph in shaper.shape(scalars, run.range, script: run.script, isRightToLeft: run.level % 2 == 1) {
            glyphs.append((run.font, glyph.number, width + glyph.x, glyph.y))
            width += glyph.advance
        }
        if FontChoice.isEmojiFont(run.font) { return }
        let own = choice.heights(run.font)
        heights = (max(heights?.above ?? 0, own.above), max(heights?.below ?? 0, own.below))
    }
}

/// A font, opened by HarfBuzz.
@safe
final class FontShaper {
    private let font: OpaquePointer
    private let unit: Double

    init?(_ reference: FontReference) {
        guard let font = unsafe chb_open(reference.path, 0) else { return nil }
        unsafe self.font = unsafe font
        unit = 1 / Double(max(1, unsafe chb_units_per_em(font)))
    }

    deinit { unsafe chb_close(font) }

    struct Glyph {
        var number: UInt32
        /// The offset from the pen, and the pen's way to the next glyph.
        var x, y, advance: Double
    }

    /// Returns the glyphs of a part of a text, from left to right.
    func shape(
        _ text: [Unicode.Scalar], _ range: Range<Int>, script: UInt32, isRightToLeft: Bool
    ) -> [Glyph] {
        let numbers = text.map(\.value)
        let room = 8 * range.count + 64
        var glyphs = [chb_glyph](repeating: chb_glyph(), count: room)
        let count = unsafe chb_shape(
            font, numbers, Int32(numbers.count), Int32(range.lowerBound), Int32(range.count), script, isRightToLeft,
            &glyphs, Int32(room))
        return glyphs.prefix(min(max(0, Int(count)), room)).map {
            Glyph(
                number: $0.glyph, x: Double($0.x_offset) * unit, y: -Double($0.y_offset) * unit,
                advance: Double($0.x_advance) * unit)
        }
    }
}

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
