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
        usual = assets.map { FontReference(path: $0 + "/Fonts/DejaVuSansCondensed-Bold.ttf") }
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
