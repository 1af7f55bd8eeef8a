import Platform
package import Reactions

/// The files of a pack, from a folder or a zip archive, checked and in memory.
///
/// A pack has descriptions and sprites as a folder of custom effects has, and a manifest. Nothing outside of the folder
/// or the archive is read: links are refused, and names cannot lead out of it.
package struct PackContents: Sendable {
    package let manifest: PackManifest
    /// The contents of files by their paths in the pack: `snow.json`, `Sprites/flake.svg`.
    package private(set) var files: [String: [UInt8]] = [:]
    /// The path of the folder or the archive.
    private let path: String
    private var size = 0

    /// The maximum number of files.
    static let greatestCount = 200
    /// The maximum size of an archive, and of all files together, in bytes.
    static let greatestSize = 32 << 20
    /// The folders of a pack.
    package static let folders = ["Sprites", "Sounds"]

    /// Reads a pack.
    ///
    /// - Parameter path: A folder or a zip archive.
    /// - Throws: ``EffectError`` if it cannot be read, exceeds a limit, or contains other files than a pack may.
    package init(_ path: String) throws(EffectError) {
        guard let kind = FileKind.of(path) else { throw .unreadable(path, "no such file or folder") }
        let found = kind == S_IFDIR ? try Self.folder(path) : try Self.archive(path)
        self.path = path
        manifest = try PackManifest(json: found.manifest, file: path + "/" + EffectLibrary.manifestName)
        files[EffectLibrary.manifestName] = found.manifest
        for file in found.files where file.name != EffectLibrary.manifestName { try add(file) }
        try checkEffects()
    }

    /// A file that was found, and reads its contents up to a size.
    private struct File {
        var name: String
        var read: (_ limit: Int) throws(EffectError) -> [UInt8]
    }

    private typealias Found = (manifest: [UInt8], files: [File])

    private mutating func add(_ file: File) throws(EffectError) {
        guard let kind = PackFile(name: file.name) else {
            throw EffectError(
                file: path + "/" + file.name,
                message:
                    "not a file of a pack, which contains descriptions (.json), sprites (.svg, .png, .webp, .gif), sounds (.wav, .ogg) and texts"
            )
        }
        let bytes = try file.read(kind.greatestSize)
        size += bytes.count
        guard files.count < Self.greatestCount, size <= Self.greatestSize else {
            throw EffectError(
                file: path,
                message: "a pack has at most \(Self.greatestCount) files of \(Self.greatestSize >> 20) MiB together")
        }
        if let fault = kind.fault(in: bytes) { throw EffectError(file: path + "/" + file.name, message: fault) }
        files[file.name] = bytes
    }

    /// Refuses effects without a description, and descriptions that the manifest does not list.
    private func checkEffects() throws(EffectError) {
        let manifestPath = path + "/" + EffectLibrary.manifestName
        for effect in manifest.effects where files[effect + ".json"] == nil {
            throw EffectError(file: manifestPath, key: "effects", message: "the pack has no file \(effect).json")
        }
        let listed = Set(manifest.effects.map { $0 + ".json" } + [EffectLibrary.manifestName])
        for name in files.keys.sorted() where name.hasSuffix(".json") && !listed.contains(name) {
            throw EffectError(file: manifestPath, key: "effects", message: "\(name) is not listed")
        }
    }
}

// MARK: - Folders and archives

extension PackContents {
    private static func folder(_ path: String) throws(EffectError) -> Found {
        guard EffectFile.exists(path + "/" + EffectLibrary.manifestName) else { throw noManifest(path) }
        var files: [File] = []
        for name in try EffectFile.names(in: path) where !isIgnored(name) {
            let place = path + "/" + name
            guard folders.contains(name), FileKind.isOwnFolder(place) else {
                files.append(File(name: name) { limit throws(EffectError) in try readPlain(place, limit) })
                continue
            }
            for inner in try EffectFile.names(in: place) where !isIgnored(inner) {
                let file = place + "/" + inner
                files.append(
                    File(name: name + "/" + inner) { limit throws(EffectError) in try readPlain(file, limit) })
            }
        }
        return (try readPlain(path + "/" + EffectLibrary.manifestName, EffectFile.greatestSize), files)
    }

    /// Reads a file that is not a link.
    private static func readPlain(_ path: String, _ limit: Int) throws(EffectError) -> [UInt8] {
        guard FileKind.isOwnFile(path) else {
            throw EffectError(
                file: path, message: "is a link, a folder or a special file; a pack contains plain files only")
        }
        return try EffectFile.read(path, limit: limit)
    }

    private static func archive(_ path: String) throws(EffectError) -> Found {
        let bytes = try EffectFile.read(path, limit: greatestSize)
        guard ZipArchive.isZip(bytes) else {
            throw EffectError(file: path, message: "not a pack: give a folder or a zip archive")
        }
        let archive: ZipArchive
        do throws(ZipArchive.Fault) { archive = try ZipArchive(bytes) } catch {
            throw EffectError(file: path, message: error.message)
        }
        let entries = try entries(of: archive, path)
        guard let manifest = entries[EffectLibrary.manifestName] else { throw noManifest(path) }
        let files = entries.sorted { $0.key < $1.key }.map { name, entry in
            File(name: name) { limit throws(EffectError) in try read(entry, of: archive, path, limit) }
        }
        return (try read(manifest, of: archive, path, EffectFile.greatestSize), files)
    }

    /// Returns the entries by their paths in the pack, which may be in a single folder of the archive.
    private static func entries(
        of archive: ZipArchive, _ path: String
    ) throws(EffectError) -> [String: ZipArchive.Entry] {
        var entries: [String: ZipArchive.Entry] = [:]
        for entry in archive.entries {
            let parts = entry.name.split(separator: "/", omittingEmptySubsequences: false)
            let leadsOut = parts.contains { $0.isEmpty || $0 == "." || $0 == ".." } || entry.name.contains("\\")
            if leadsOut {
                throw EffectError(
                    file: path, message: "the name \(entry.name.prefix(80)) leads out of the archive or is not plain")
            }
            if parts.contains(where: { isIgnored(String($0)) }) { continue }
            guard entries.updateValue(entry, forKey: entry.name) == nil else {
                throw EffectError(file: path, message: "the name \(entry.name.prefix(80)) occurs twice in the archive")
            }
        }
        if entries[EffectLibrary.manifestName] != nil { return entries }
        guard let top = entries.keys.first?.prefix(while: { $0 != "/" }),
            entries.keys.allSatisfy({ $0.hasPrefix(top + "/") })
        else { return entries }
        return Dictionary(uniqueKeysWithValues: entries.map { (String($0.key.dropFirst(top.count + 1)), $0.value) })
    }

    private static func read(
        _ entry: ZipArchive.Entry, of archive: ZipArchive, _ path: String, _ limit: Int
    ) throws(EffectError) -> [UInt8] {
        if entry.size > limit {
            throw EffectError(file: path + "/" + entry.name, message: "the file is larger than \(limit / 1024) KiB")
        }
        do throws(ZipArchive.Fault) { return try archive.read(entry) } catch {
            throw EffectError(file: path, message: error.message)
        }
    }

    /// Returns whether a name belongs to the desktop and not to the pack.
    private static func isIgnored(_ name: String) -> Bool { name.hasPrefix(".") || name == "__MACOSX" }

    private static func noManifest(_ path: String) -> EffectError {
        EffectError(
            file: path,
            message: "not a pack: \(EffectLibrary.manifestName) is missing; flourish effects new makes single effects")
    }
}

/// The kinds of files in a pack.
private enum PackFile {
    case description, sprite(SpriteFormat), sound(String), text

    /// - Parameter name: The path in the pack.
    init?(name: String) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard let file = parts.last, parts.count <= 2,
            file.utf8.count <= 80, file.first?.isLetter == true,
            file.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) })
        else { return nil }
        let folder = parts.count == 2 ? String(parts[0]) : nil
        let ending = file.split(separator: ".").last.map(String.init) ?? ""
        if let format = SpriteFormat(rawValue: ending), folder == nil || folder == "Sprites" {
            self = .sprite(format)
        } else if EffectSound.formats.contains(ending), folder == nil || folder == "Sounds" {
            self = .sound(ending)
        } else if ending == "json", folder == nil {
            self = .description
        } else if folder == nil,
            ["txt", "md"].contains(ending) || ["LICENSE", "LICENCE", "NOTICE", "README"].contains(file)
        {
            self = .text
        } else {
            return nil
        }
    }

    var greatestSize: Int {
        switch self {
        case .description, .text: EffectFile.greatestSize
        case .sprite(let format): format.greatestFile
        case .sound: EffectSound.greatestFile
        }
    }

    /// Returns the reason for rejecting a file, in words for the user.
    func fault(in bytes: [UInt8]) -> String? {
        switch self {
        case .description, .text: nil
        case .sprite(let format): format.fault(in: bytes)
        case .sound(let format): EffectSound.fault(in: bytes, format)
        }
    }
}

/// The contents of a pack's file `flourish-pack.json`.
package struct PackManifest: Sendable, Hashable, Decodable {
    package let name: String
    package let version: String?
    package let about: String?
    package let author: String?
    package let licence: String?
    /// The names of the effects, in the manifest's sequence.
    package let effects: [String]

    /// The maximum number of effects in a pack.
    static let greatestCount = 50
    /// Names of folders beside descriptions, which no pack can have.
    private static let folderNames = ["sprites", "sounds"]

    package init(from decoder: any Decoder) throws {
        var fields = try EffectFields(decoder)
        name = try fields.required("name")
        try fields.checkName(name, "name")
        try fields.check(
            !Self.folderNames.contains(name.lowercased()), "name",
            "\"\(name)\" is the name of a folder of sprites or sounds")
        version = try fields.line("version", 32)
        about = try fields.line("about", 200)
        author = try fields.line("author", 100)
        licence = try fields.line("licence", 100)
        effects = try fields.required("effects")
        for effect in effects { try fields.checkName(effect, "effects") }
        try fields.check(
            (1...Self.greatestCount).contains(effects.count) && Set(effects).count == effects.count, "effects",
            "must be 1 to \(Self.greatestCount) different names")
        try fields.finish()
    }

    /// - Parameter file: The source's name in errors.
    /// - Throws: ``EffectError``.
    package init(json: [UInt8], file: String) throws(EffectError) {
        self = try EffectFile.decode(PackManifest.self, from: json, file: file)
    }

    /// Reads the manifest of a folder.
    /// - Throws: ``EffectError``.
    package init(in folder: String) throws(EffectError) {
        let file = folder + "/" + EffectLibrary.manifestName
        try self.init(json: EffectFile.read(file), file: file)
    }
}

extension EffectFields {
    /// Returns a text for a list, which is a single line.
    fileprivate mutating func line(_ key: String, _ limit: Int) throws -> String? {
        let text: String? = try optional(key)
        let isLine = text.map { text in
            text.count <= limit && text.unicodeScalars.allSatisfy { !$0.properties.generalCategory.isControl }
        }
        try check(isLine ?? true, key, "must be one line of up to \(limit) characters")
        return text
    }
}

extension Unicode.GeneralCategory {
    /// True if a terminal may act on characters of the category.
    fileprivate var isControl: Bool {
        switch self {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
