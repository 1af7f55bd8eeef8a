internal import CFreeType
import MediaIO
import Pipeline
import Raster
import Reactions

/// The font of labels on inspected pictures, rendered by FreeType.
///
/// Used by one thread at a time.
@safe
final class LabelFont {
    private let library: FT_Library
    private let face: FT_Face
    /// The height of a capital in the font's own units.
    private let capUnits: Int

    /// The font file below the folder `Assets`.
    static let file = "Fonts/DejaVuSansCondensed-Bold.ttf"

    /// Opens the font that is installed with Flourish.
    ///
    /// - Throws: ``FlourishError/Code/unavailable`` if the font is missing or damaged.
    convenience init(resources: Resources) throws(FlourishError) {
        guard let assets = resources.assets else {
            throw FlourishError(
                .unavailable, "the font of labels (Assets/\(Self.file)) is not installed", remedy: .namingAssets)
        }
        try self.init(path: assets + "/" + Self.file)
    }

    /// Opens a font file.
    init(path: String) throws(FlourishError) {
        var library: FT_Library?
        var face: FT_Face?
        guard unsafe FT_Init_FreeType(&library) == 0, let library = unsafe library else {
            throw FlourishError(.unavailable, "FreeType cannot be initialised, so labels cannot be drawn")
        }
        unsafe self.library = unsafe library
        let status = unsafe FT_New_Face(library, path, 0, &face)
        // The letter H (code 72) is loaded in the font's own units, to measure the height of capitals.
        guard status == 0, let face = unsafe face,
            unsafe FT_Load_Char(face, 72, FT_Int32(FT_LOAD_NO_SCALE)) == 0,
            unsafe face.pointee.glyph.pointee.metrics.horiBearingY > 0
        else {
            unsafe FT_Done_FreeType(library)
            throw FlourishError(
                .unavailable, "\(path): the font of labels is missing or damaged; install Flourish again")
        }
        unsafe self.face = unsafe face
        capUnits = unsafe face.pointee.glyph.pointee.metrics.horiBearingY
    }

    deinit {
        unsafe FT_Done_Face(face)
        unsafe FT_Done_FreeType(library)
    }

    /// Returns a Boolean value that indicates whether the font has a glyph for a character.
    ///
    /// Any other character is drawn as an empty box.
    func contains(_ character: Character) -> Bool { unsafe FT_Get_Char_Index(face, Self.code(of: character)) != 0 }

    /// Renders a character in one size and colour.
    ///
    /// - Parameter encoding: The colour encoding of the picture on which the glyph is drawn.
    func glyph(_ character: Character, style: TextStyle, encoding: ColourEncoding = .standard) -> TextGlyph {
        let size = style.size.cap * 64 * Int(unsafe face.pointee.units_per_EM) / capUnits
        unsafe FT_Set_Char_Size(face, 0, size, 72, 72)
        guard unsafe FT_Load_Char(face, Self.code(of: character), cfreetype_load_rendered) == 0 else {
            return TextGlyph(sprite: nil, left: 0, top: 0, advance: style.size.cap)
        }
        let slot = unsafe face.pointee.glyph.pointee
        let advance = unsafe (slot.advance.x + 32) >> 6
        let (width, height) = unsafe (Int(slot.bitmap.width), Int(slot.bitmap.rows))
        guard width > 0, height > 0, let coverage = unsafe slot.bitmap.buffer else {
            return TextGlyph(sprite: nil, left: 0, top: 0, advance: advance)
        }
        let colour = style.colour.channels.map { UInt8(($0 * 255).rounded()) }
        // There is a transparent pixel on each side, into which the sprite's edges fade.
        var image = RGBAImage(width: width + 2, height: height + 2)
        for row in 0..<height {
            for column in 0..<width {
                let at = ((row + 1) * image.width + column + 1) * 4
                for channel in 0..<3 { image.pixels[at + channel] = colour[channel] }
                image.pixels[at + 3] = unsafe coverage[row * Int(slot.bitmap.pitch) + column]
            }
        }
        return unsafe TextGlyph(
            sprite: TileSprite(image.encoded(by: encoding)), left: Int(slot.bitmap_left) - 1,
            top: -Int(slot.bitmap_top) - 1, advance: advance)
    }

    private static func code(of character: Character) -> FT_ULong {
        FT_ULong(character.unicodeScalars.first?.value ?? 0)
    }
}

/// A character as pixels, in one size and colour.
struct TextGlyph {
    /// `nil` for a blank.
    let sprite: TileSprite?
    /// The offsets from the pen to the sprite's left edge and from the baseline down to its top, in pixels.
    let left, top: Int
    /// The distance to the next character's origin, in pixels.
    let advance: Int
}

/// The size of text, in pixels.
struct TextSize: Hashable {
    /// The height of a capital letter, in pixels.
    let cap: Int

    /// - Parameter cap: The desired height; at least 7 pixels are used, for legibility.
    init(cap: Double) { self.cap = max(7, Int(cap.rounded())) }

    /// The distance between two baselines, in pixels.
    var lineHeight: Int { Int((Double(cap) * 1.75).rounded()) }
}

/// The size and colour of text.
struct TextStyle: Hashable {
    var size: TextSize
    var colour: InspectionColour
}
