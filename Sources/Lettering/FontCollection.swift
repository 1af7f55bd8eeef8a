internal import CHarfBuzz
import FoundationEssentials
import Platform
import Reactions
import Synchronization

/// The fonts in which texts may be drawn: the one that is installed with Flourish, files beside an effect, and those of
/// the system.
package struct FontCollection: Sendable {
    /// The usual font of texts; `nil` if it is not installed.
    let usual: FontReference?
    /// The folders of font files, of which the first takes precedence.
    let folders: [String]

    /// - Parameters:
    ///   - assets: The folder of the assets.
    ///   - folders: The system's folders of fonts.
    package init(assets: String?, folders: [String]) {
        usual = assets.map(FontReference.installed)
        self.folders = folders
    }

    /// Returns the system's folders of fonts (XDG Base Directory Specification), of which some may not exist.
    package static func systemFolders(environment: [String: String]) -> [String] {
        func given(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let home = given("HOME")
        let own = given("XDG_DATA_HOME") ?? home.map { $0 + "/.local/share" }
        let shared = (given("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
        return ([own].compactMap(\.self) + shared).map { $0 + "/fonts" }
            + [home.map { $0 + "/.fonts" }].compactMap(\.self)
            + ["/System/Library/Fonts", "/Library/Fonts"]
    }

    private static let endings: Set<Substring> = ["ttf", "otf", "ttc", "otc"]
    /// The maximum number of files of a folder; others are not seen.
    private static let greatestCount = 6000
    /// The files of folders that were listed before.
    private static let listed = Mutex<[String: [String]]>([:])

    /// The font files in all folders.
    var files: [String] {
        folders.flatMap { folder in
            if let known = Self.listed.withLock({ $0[folder] }) { return known }
            let found = Self.list(folder)
            Self.listed.withLock { $0[folder] = found }
            return found
        }
    }

    private static func list(_ folder: String) -> [String] {
        guard let names = try? FileManager.default.subpathsOfDirectory(atPath: folder) else { return [] }
        let fonts = names.lazy.filter { name in
            name.lastIndex(of: ".").map { endings.contains(Substring(name[name.index(after: $0)...].lowercased())) }
                ?? false
        }
        return fonts.prefix(greatestCount).sorted().map { folder + "/" + $0 }
    }

    // MARK: Names

    /// Returns the font with a name: a file in a folder, or an installed font.
    ///
    /// - Throws: ``TextFault`` if there is none.
    func font(named name: String, beside folder: String?) throws(TextFault) -> FontReference {
        if let folder, name.contains("."), !name.contains("/") {
            let file = FontReference(path: folder + "/" + name)
            if FileKind.size(of: file.path) != nil {
                guard FontFace(file) != nil else { throw TextFault("\(file.path): not a font that FreeType can read") }
                return file
            }
        }
        let wanted = Self.simplified(name)
        let named = files.filter { Self.simplified(Self.stem($0)).hasPrefix(wanted) }
            .min { ($0.utf8.count - Self.suffixBonus($0), $0) < ($1.utf8.count - Self.suffixBonus($1), $1) }
        if let path = named { return FontReference(path: path) }
        let family = files.lazy.map { FontReference(path: $0) }.first {
            FontFace($0).map { Self.simplified($0.family) == wanted } ?? false
        }
        guard let family else {
            throw TextFault(
                "the font \(name) is not installed; name an installed font, or a .ttf or .otf file beside the description"
            )
        }
        return family
    }

    /// Regular faces are preferred to others of the same family.
    private static func suffixBonus(_ path: String) -> Int { stem(path).hasSuffix("-Regular") ? "-Regular".count : 0 }

    private static func stem(_ path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return String(name.prefix(upTo: name.lastIndex(of: ".") ?? name.endIndex))
    }

    private static func simplified(_ name: String) -> String {
        name.lowercased().filter { $0 != " " && $0 != "-" && $0 != "_" }
    }

    // MARK: Ranking

    /// The installed fonts in the sequence in which they are searched for a character.
    func ranked(forEmoji: Bool) -> [FontReference] {
        files.map { (rank: Self.rank($0, forEmoji: forEmoji), path: $0) }
            .sorted { ($0.rank, $0.path) < ($1.rank, $1.path) }.map { FontReference(path: $0.path) }
    }

    private static func rank(_ path: String, forEmoji: Bool) -> Int {
        let name = stem(path).lowercased()
        let isEmoji = name.contains("emoji")
        if isEmoji { return forEmoji ? (name.contains("color") ? 0 : 1) : 9 }
        let isPlain = !["italic", "oblique", "mono", "condensed", "serif"].contains { name.contains($0) }
        switch (name.contains("sans") && isPlain, name.contains("bold")) {
        case (true, true): return 2
        case (true, false): return 3
        case (false, true): return isPlain ? 4 : 6
        case (false, false): return isPlain ? 5 : 7
        }
    }
}

/// Chooses the font of each character of one text, and keeps the fonts open meanwhile.
///
/// Used by one thread at a time.
final class FontChoice {
    private let collection: FontCollection
    /// The fonts that a text should have: the named one and the usual one.
    private let first: [FontReference]
    /// Fonts that were found for other characters.
    private var found: [FontReference] = []
    private var faces: [FontReference: FontFace] = [:]
    private var shapers: [FontReference: FontShaper] = [:]
    private(set) var used: [FontReference] = []

    init(_ collection: FontCollection, named name: String?, beside folder: String?) throws(TextFault) {
        self.collection = collection
        let named = if let name { try collection.font(named: name, beside: folder) } else { nil as FontReference? }
        first = [named, collection.usual].compactMap(\.self)
    }

    /// Returns the index of a font in ``used``.
    func index(of font: FontReference) -> Int {
        if let known = used.firstIndex(of: font) { return known }
        used.append(font)
        return used.count - 1
    }

    /// The greatest size of the fonts of pictures; `nil` if a font has outlines.
    var greatestSize: Double? {
        let sizes = used.map { faces[$0]?.greatestSize }
        return sizes.contains(nil) ? nil : sizes.compactMap(\.self).max()
    }

    func heights(_ font: FontReference) -> (above: Double, below: Double) { faces[font]?.heights ?? (0.8, 0.2) }

    func shaper(_ font: FontReference) throws(TextFault) -> FontShaper {
        if let known = shapers[font] { return known }
        guard let shaper = FontShaper(font) else { throw TextFault("\(font.path): the font cannot be read") }
        shapers[font] = shaper
        return shaper
    }

    /// The size at which ink is measured, in pixels.
    private static let measure = 128.0

    /// Returns the area that a glyph's pixels cover, relative to its origin; `nil` if it has none.
    func ink(of glyph: UInt32, in font: FontReference) -> InkBox? {
        guard let picture = faces[font]?.picture(glyph, size: Self.measure) else { return nil }
        let unit = picture.scale / Self.measure
        return InkBox(
            left: Double(picture.left) * unit, top: -Double(picture.top) * unit,
            right: Double(picture.left + picture.width) * unit, bottom: Double(picture.height - picture.top) * unit)
    }

    // MARK: Characters

    /// Returns the font of a character.
    ///
    /// - Parameter previous: The font of the character before, which spaces and signs share.
    /// - Throws: ``TextFault`` if no installed font has the character.
    func font(for character: Character, after previous: FontReference?) throws(TextFault) -> FontReference {
        let scalars = Array(character.unicodeScalars).filter { !$0.properties.isDefaultIgnorableCodePoint }
        let isEmoji = Self.isEmoji(character)
        let known = (isEmoji ? [] : first) + found.filter { Self.isEmojiFont($0) == isEmoji }
        let preferred = scalars.allSatisfy(\.properties.isWhitespace) ? [previous].compactMap(\.self) : []
        if let font = (preferred + known).first(where: { covers(scalars, $0, mustShow: false) }) { return font }
        let others = collection.ranked(forEmoji: isEmoji)
        let searched = isEmoji ? others.filter(Self.isEmojiFont) + first + others : others
        if let font = searched.first(where: { covers(scalars, $0, mustShow: isEmoji) }) {
            found.append(font)
            return font
        }
        let name = scalars.first.map(StyledText.name) ?? ""
        throw TextFault(
            "no installed font has the character \(character) (\(name)); install a font that has it, such as the package "
                + (isEmoji ? "fonts-noto-color-emoji" : "fonts-noto-core or fonts-noto-cjk"),
            isUnavailable: true)
    }

    /// Returns whether a font is made of pictures.
    static func isEmojiFont(_ font: FontReference) -> Bool {
        (font.path.split(separator: "/").last ?? "").lowercased().contains("emoji")
    }

    /// - Parameter mustShow: Whether the glyph must have pixels, which those of a colour format that FreeType does not
    ///   draw lack.
    private func covers(_ scalars: [Unicode.Scalar], _ font: FontReference, mustShow: Bool) -> Bool {
        guard let face = face(font), scalars.allSatisfy(face.contains) else { return false }
        guard mustShow, let first = scalars.first else { return true }
        return face.picture(face.glyph(first), size: Self.measure) != nil
    }

    private func face(_ font: FontReference) -> FontFace? {
        if let known = faces[font] { return known }
        guard let face = FontFace(font) else { return nil }
        faces[font] = face
        return face
    }

    /// Returns whether a character is shown as a picture: by default, or since a variation selector demands it
    /// (Unicode Technical Standard 51).
    private static func isEmoji(_ character: Character) -> Bool {
        let scalars = character.unicodeScalars
        if scalars.contains("\u{FE0E}") { return false }
        return scalars.contains("\u{FE0F}") || scalars.contains { $0.properties.isEmojiPresentation }
            || scalars.count > 1 && scalars.contains { $0.properties.isEmojiModifier }
    }

    /// Returns the script of a character; `nil` for characters of all scripts.
    static func script(of scalar: Unicode.Scalar) -> UInt32? {
        let script = chb_script(scalar.value)
        return [0x5A79_7979, 0x5A69_6E68, 0x5A7A_7A7A].contains(script) ? nil : script
    }
}
