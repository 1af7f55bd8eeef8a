/// The letters that are written over inspected pictures: strokes of one width, drawn for this
/// program, so that text needs neither a font file nor a library.
///
/// In the unit of the shapes a capital is 7 high, a small letter 5, and the baseline is 0; y
/// points up.
enum StrokeFont {
    static let capHeight = 7.0
    static let xHeight = 5.0
    /// How far letters like `g` reach below the baseline.
    static let descent = 2.0
    /// The space between two letters, and the width of a blank.
    static let letterSpace = 2.1
    static let blankWidth = 1.4

    /// A letter's shape.
    struct Glyph: Sendable {
        /// From the leftmost to the rightmost point.
        let width: Double
        let path: StrokePath

        init(_ width: Double, _ path: String) {
            self.width = width
            self.path = StrokePath(path)
        }
    }

    /// The shape of a character; an upright box for one that the font lacks.
    static func glyph(_ character: Character) -> Glyph { glyphs[character] ?? missing }

    static let missing = Glyph(3.4, "M0 0 V7 H3.4 V0 H0")

    private static let glyphs: [Character: Glyph] =
        letters
        .merging(smallLetters) { first, _ in first }
        .merging(digitsAndSigns) { first, _ in first }
}
