package import Reactions

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
    /// A Boolean value that indicates whether a terminal may act on characters of the category.
    fileprivate var isControl: Bool {
        switch self {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
