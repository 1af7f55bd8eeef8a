internal import CFreeType

/// A font in a file.
package struct FontReference: Hashable, Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// Returns the font that is installed with Flourish, by the folder of the assets.
    package static func installed(in assets: String) -> FontReference {
        FontReference(path: assets + "/Fonts/DejaVuSansCondensed-Bold.ttf")
    }
}

/// A font, opened by FreeType for its characters and the pixels of its glyphs.
///
/// Used by one thread at a time.
@safe
package final class FontFace {
    private let library: FT_Library
    private let face: FT_Face
    /// The size in pixels of pictures of glyphs; 0 for fonts of outlines.
    private var strike = 0.0

    /// - Returns: `nil` if the file is no font.
    package init?(_ font: FontReference) {
        var library: FT_Library?
        var face: FT_Face?
        guard unsafe FT_Init_FreeType(&library) == 0, let library = unsafe library else { return nil }
        guard unsafe FT_New_Face(library, font.path, 0, &face) == 0, let face = unsafe face else {
            unsafe FT_Done_FreeType(library)
            return nil
        }
        unsafe self.library = unsafe library
        unsafe self.face = unsafe face
    }

    deinit {
        unsafe FT_Done_Face(face)
        unsafe FT_Done_FreeType(library)
    }

    /// The name of the font's family.
    var family: String { unsafe face.pointee.family_name.map { unsafe String(cString: $0) } ?? "" }

    /// The heights above and below the baseline for which the font is made, as shares of its size.
    var heights: (above: Double, below: Double) {
        let units = unsafe Double(max(1, face.pointee.units_per_EM))
        return unsafe (Double(face.pointee.ascender) / units, -Double(face.pointee.descender) / units)
    }

    package func contains(_ scalar: Unicode.Scalar) -> Bool {
        unsafe FT_Get_Char_Index(face, FT_ULong(scalar.value)) != 0
    }

    func glyph(_ scalar: Unicode.Scalar) -> UInt32 { unsafe FT_Get_Char_Index(face, FT_ULong(scalar.value)) }

    /// The largest size in pixels of a font of pictures; `nil` for fonts of outlines.
    var greatestSize: Double? {
        guard !isScalable, let sizes = unsafe face.pointee.available_sizes else { return nil }
        return (0..<Int(unsafe face.pointee.num_fixed_sizes)).map { unsafe Double(sizes[$0].y_ppem) / 64 }.max()
    }

    private var isScalable: Bool { unsafe cfreetype_is_scalable(face) != 0 }

    /// Chooses the size of the following glyphs in pixels.
    private func choose(size: Double) {
        strike = 0
        if isScalable {
            unsafe FT_Set_Char_Size(face, 0, FT_F26Dot6((size * 64).rounded()), 72, 72)
        } else if let sizes = unsafe face.pointee.available_sizes {
            // The smallest that is large enough, or the largest.
            let all = (0..<Int(unsafe face.pointee.num_fixed_sizes)).map { unsafe Double(sizes[$0].y_ppem) / 64 }
            let best = all.indices.filter { all[$0] >= size }.min { all[$0] < all[$1] }
            guard let index = best ?? all.indices.max(by: { all[$0] < all[$1] }) else { return }
            unsafe FT_Select_Size(face, FT_Int(index))
            strike = all[index]
        }
    }

    /// Returns the pixels of a glyph in a size; `nil` if it has none, such as a space.
    ///
    /// - Parameters:
    ///   - size: The size of the text in pixels.
    ///   - shift: The offset of the glyph's origin to the right and up, in pixels, 0…1. Pictures have none.
    ///   - stroke: The radius of a pen that draws the outline's line; 0 for the glyph itself.
    func picture(
        _ glyph: UInt32, size: Double, shift: (x: Double, y: Double) = (0, 0), stroke: Double = 0
    ) -> GlyphPicture? {
        choose(size: size)
        guard unsafe FT_Load_Glyph(face, glyph, cfreetype_load_unhinted) == 0, let slot = unsafe face.pointee.glyph
        else { return nil }
        if unsafe cfreetype_is_outline(slot) != 0 {
            if stroke == 0, isColoured {
                guard unsafe FT_Render_Glyph(slot, FT_RENDER_MODE_NORMAL) == 0 else { return nil }
            } else {
                return unsafe outlined(slot, shift: shift, stroke: stroke)
            }
        } else if stroke > 0 {
            return nil
        }
        return unsafe GlyphPicture(
            slot.pointee.bitmap, left: Int(slot.pointee.bitmap_left), top: Int(slot.pointee.bitmap_top),
            scale: strike > 0 ? size / strike : 1)
    }

    private var isColoured: Bool { unsafe face.pointee.face_flags & (1 << 14) != 0 }

    // MARK: Labels

    /// The height of a capital letter as a share of the size; `nil` for a font without capitals.
    package var capitalHeight: Double? {
        guard unsafe FT_Load_Char(face, 72, FT_Int32(FT_LOAD_NO_SCALE)) == 0, let slot = unsafe face.pointee.glyph,
            unsafe slot.pointee.metrics.horiBearingY > 0
        else { return nil }
        return unsafe Double(slot.pointee.metrics.horiBearingY) / Double(face.pointee.units_per_EM)
    }

    /// Returns the pixels of a letter for whole pixels, hinted so that small letters stay sharp, and the distance in
    /// pixels to the next letter's origin. The font's empty box replaces a letter that it lacks.
    package func label(_ scalar: Unicode.Scalar, size: Double) -> (picture: GlyphPicture?, advance: Int) {
        choose(size: size)
        guard unsafe FT_Load_Char(face, FT_ULong(scalar.value), cfreetype_load_rendered) == 0,
            let slot = unsafe face.pointee.glyph
        else { return (nil, Int(size)) }
        let picture = unsafe GlyphPicture(
            slot.pointee.bitmap, left: Int(slot.pointee.bitmap_left), top: Int(slot.pointee.bitmap_top), scale: 1)
        return unsafe (picture, (slot.pointee.advance.x + 32) >> 6)
    }

    private func outlined(_ slot: FT_GlyphSlot, shift: (x: Double, y: Double), stroke: Double) -> GlyphPicture? {
        var glyph: FT_Glyph?
        guard unsafe FT_Get_Glyph(slot, &glyph) == 0 else { return nil }
        defer { unsafe FT_Done_Glyph(glyph) }
        if stroke > 0 {
            var stroker: FT_Stroker?
            guard unsafe FT_Stroker_New(library, &stroker) == 0 else { return nil }
            defer { unsafe FT_Stroker_Done(stroker) }
            unsafe FT_Stroker_Set(
                stroker, FT_Fixed((stroke * 64).rounded()), FT_STROKER_LINECAP_ROUND, FT_STROKER_LINEJOIN_ROUND, 0)
            guard unsafe FT_Glyph_Stroke(&glyph, stroker, 1) == 0 else { return nil }
        }
        var origin = FT_Vector(x: FT_Pos((shift.x * 64).rounded()), y: FT_Pos((shift.y * 64).rounded()))
        guard unsafe FT_Glyph_To_Bitmap(&glyph, FT_RENDER_MODE_NORMAL, &origin, 1) == 0, let glyph = unsafe glyph
        else { return nil }
        let drawn = unsafe UnsafeMutableRawPointer(glyph).assumingMemoryBound(to: FT_BitmapGlyphRec.self)
        return unsafe GlyphPicture(
            drawn.pointee.bitmap, left: Int(drawn.pointee.left), top: Int(drawn.pointee.top), scale: 1)
    }
}

/// The pixels of a glyph: its coverage, or its colours.
package struct GlyphPicture {
    package let width, height: Int
    /// The distances of the left edge to the right of the glyph's origin, and of the top edge above it, in pixels.
    package let left, top: Int
    /// The factor by which the pixels are to be enlarged.
    let scale: Double
    /// One byte a pixel for coverage, or four for premultiplied red, green, blue and alpha.
    let samples: [UInt8]
    let isColoured: Bool

    init?(_ bitmap: FT_Bitmap, left: Int, top: Int, scale: Double) {
        let (width, height) = unsafe (Int(bitmap.width), Int(bitmap.rows))
        guard width > 0, height > 0, width <= 8192, height <= 8192, let buffer = unsafe bitmap.buffer else {
            return nil
        }
        (self.width, self.height) = (width, height)
        (self.left, self.top, self.scale) = (left, top, scale)
        let pitch = unsafe Int(bitmap.pitch)
        switch unsafe UInt32(bitmap.pixel_mode) {
        case FT_PIXEL_MODE_GRAY.rawValue:
            isColoured = false
            samples = (0..<width * height).map { unsafe buffer[$0 / width * pitch + $0 % width] }
        case FT_PIXEL_MODE_BGRA.rawValue:
            isColoured = true
            var pixels = [UInt8](repeating: 0, count: width * height * 4)
            for y in 0..<height {
                for x in 0..<width {
                    let (from, to) = (y * pitch + 4 * x, (y * width + x) * 4)
                    pixels[to] = unsafe buffer[from + 2]
                    pixels[to + 1] = unsafe buffer[from + 1]
                    pixels[to + 2] = unsafe buffer[from]
                    pixels[to + 3] = unsafe buffer[from + 3]
                }
            }
            samples = pixels
        case FT_PIXEL_MODE_MONO.rawValue:
            isColoured = false
            samples = (0..<width * height).map { place in
                let (x, y) = (place % width, place / width)
                return unsafe buffer[y * pitch + x / 8] >> (7 - x % 8) & 1 == 0 ? 0 : 255
            }
        default: return nil
        }
    }
}
