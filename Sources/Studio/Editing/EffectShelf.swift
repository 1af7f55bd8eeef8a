import Effects
package import Pipeline
import Platform
package import Reactions

/// The descriptions that can be edited: the built-in effects, those of a folder, and a file that the user names. The
/// built-in ones are saved as copies in the folder.
package struct EffectShelf: Sendable {
    /// A description.
    package struct Entry: Sendable, Hashable {
        package var name: String
        package var path: String
        /// True if a changed description is saved as another effect.
        package var isBuiltIn: Bool
    }

    /// The reason for not saving a description.
    package enum Refusal: Error {
        /// The file exists, or is not in the state that the caller knows.
        case changed
        /// The name or the description cannot be used.
        case invalid(EffectError)
        /// The file cannot be written.
        case unwritable(String)
    }

    /// The folder in which new effects are saved.
    package let folder: String
    private let assets: String
    private let file: Entry?
    private let preview: DraftPreview

    /// - Parameters:
    ///   - folder: The folder of the user's effects. It is created when the first effect is saved.
    ///   - file: A description in another place.
    /// - Throws: ``FlourishError``; ``FlourishError/Code/inputUnusable`` if the file is invalid,
    ///   ``FlourishError/Code/outputUnavailable`` if the folder of either cannot be written.
    package init(
        folder: String, file: String? = nil, preview: DraftPreview, resources: Resources
    ) throws(FlourishError) {
        guard let assets = resources.assets else {
            throw FlourishError(.unavailable, "the built-in effects are not installed", remedy: .namingAssets)
        }
        (self.folder, self.assets, self.preview) = (folder, assets, preview)
        do throws(EffectError) {
            self.file = try file.map { (path) throws(EffectError) in
                let draft = EffectDraft(json: try EffectFile.read(path), file: path)
                return Entry(name: try preview.check(draft), path: path, isBuiltIn: false)
            }
        } catch { throw FlourishError(error) }
        try Self.checkCanWrite(file.map { String(TemporaryFile.folder(of: $0)) } ?? folder)
    }

    /// The name of the file that the user named.
    package var named: String? { file?.name }

    /// All descriptions: the file, the folder's effects by name, and the built-in ones. Of several with one name, the
    /// first counts.
    package var entries: [Entry] {
        let names = FileKind.of(folder) == nil ? [] : (try? EffectFile.names(in: folder)) ?? []
        let own = names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.map {
            Entry(name: String($0.dropLast(5)), path: folder + "/" + $0, isBuiltIn: false)
        }
        let builtIn = preview.builtIn.map {
            Entry(name: $0.rawValue, path: "\(assets)/Reactions/\($0.rawValue).json", isBuiltIn: true)
        }
        var known: Set<String> = []
        return ((file.map { [$0] } ?? []) + own + builtIn).filter { known.insert($0.name).inserted }
    }

    /// Returns the description with a name; `nil` if there is none.
    package func entry(_ name: String) -> Entry? { entries.first { $0.name == name } }

    /// Reads a description.
    ///
    /// - Returns: Its text, and the version of the file.
    /// - Throws: `EffectError` if it cannot be read. The content is not checked.
    package func read(_ entry: Entry) throws(EffectError) -> (text: [UInt8], version: String) {
        let text = try EffectFile.read(entry.path)
        return (text, Self.version(of: text))
    }

    /// Returns the names of the sprites that a description can use, sorted: those in its folder, of which
    /// ``EffectLibrary`` reads some, and the installed ones.
    package func sprites(of entry: Entry) -> [String] {
        let own = entry.isBuiltIn ? folder + "/" : String(TemporaryFile.folder(of: entry.path))
        let places = [own.isEmpty ? "." : own, own + "Sprites", assets + "/Sprites"]
        let names = places.filter { FileKind.of($0) != nil }.flatMap { (try? EffectFile.names(in: $0)) ?? [] }
        let endings = SpriteFormat.allCases.map { "." + $0.rawValue }
        return Set(
            names.compactMap { name in
                endings.first(where: name.hasSuffix).map { String(name.dropLast($0.count)) }
            }
        ).sorted()
    }

    /// Returns the draft of a text that is to be saved under a name. Of a new name, sprites are in the folder.
    package func draft(_ text: [UInt8], of name: String) -> EffectDraft {
        guard let entry = entry(name), !entry.isBuiltIn else {
            return EffectDraft(json: text, file: "\(folder)/\(name).json")
        }
        return EffectDraft(json: text, file: entry.path)
    }

    /// Checks a description and saves it atomically.
    ///
    /// - Parameters:
    ///   - known: The version of the file that is replaced; `nil` for a new file.
    /// - Returns: The version of the new file.
    package func save(_ text: [UInt8], as name: String, replacing known: String?) throws(Refusal) -> String {
        let draft = draft(text, of: name)
        do throws(EffectError) {
            let type = try preview.check(draft)
            if type != name {
                throw EffectError(file: draft.file, key: "type", message: "must be the effect's name, \(name)")
            }
            if file?.name != name, preview.builtIn.contains(ReactionType(rawValue: name)) {
                throw EffectError(
                    file: draft.file, key: "type", message: "\(name) is a built-in effect; choose another name")
            }
            let isInFolder = draft.file == "\(folder)/\(name).json"
            if isInFolder, let pack = try EffectLibrary.pack(with: name, in: folder) {
                throw EffectError(
                    file: draft.file, key: "type",
                    message: "\(name) is an effect of the pack \(pack); choose another name")
            }
        } catch { throw .invalid(error) }
        let found = try? EffectFile.read(draft.file)
        guard found.map(Self.version) == known else { throw .changed }
        if file?.path != draft.file {
            do throws(RawFileError) { try RawFile.makeFolder(Array(folder.utf8)) } catch {
                throw .unwritable("\(folder): the folder cannot be created (\(error.message))")
            }
        }
        do throws(FileError) {
            try TemporaryFile.write(text, to: draft.file, overwrite: known != nil)
        } catch { throw .unwritable(error.description) }
        return Self.version(of: text)
    }

    /// Returns a text that is different for each content of a file.
    private static func version(of text: [UInt8]) -> String {
        var hash = ContentHash()
        hash.add(text)
        return "\(hash.digits)-\(text.count)"
    }

    /// Fails early if nothing could be saved in a folder, or in the nearest folder above that exists.
    private static func checkCanWrite(_ folder: String) throws(FlourishError) {
        var place = folder.isEmpty ? "." : folder
        while FileKind.of(place) == nil {
            let parent = TemporaryFile.folder(of: place)
            place = parent.isEmpty ? "." : parent.count > 1 ? String(parent.dropLast()) : "/"
        }
        guard let kind = FileKind.of(place) else { return }
        if kind != S_IFDIR {
            throw FlourishError(.outputUnavailable, "\(place): is not a folder; choose another one with --folder")
        }
        if unsafe access(place, W_OK) != 0 {
            throw FlourishError(
                .outputUnavailable,
                "\(place): \(systemMessage(errno)); effects cannot be saved there, choose another folder with --folder")
        }
    }
}
