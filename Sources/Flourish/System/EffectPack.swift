import Effects
import MediaIO
public import Pipeline
import Platform
public import Reactions

/// A pack of effects: a folder or a zip archive of custom effects with sprites, sounds and a manifest.
///
/// An installed pack is a folder in a folder of custom effects. Its effects are available as those are.
///
/// ```swift
/// let pack = try EffectPack.install("winter.zip", in: "effects")
/// print(pack.effects)
/// try EffectPack.remove(pack.name, from: "effects")
/// ```
public struct EffectPack: Sendable, Hashable {
    /// The pack's name, which is also its folder's name.
    public let name: String
    /// The pack's version, if its manifest states one.
    public let version: String?
    /// A description in one line.
    public let about: String?
    /// The pack's author.
    public let author: String?
    /// The licence of the pack's files.
    public let licence: String?
    /// The reactions that it adds.
    public let effects: [ReactionType]
    /// The path of the folder.
    public let folder: String

    private init(_ manifest: PackManifest, folder: String) {
        name = manifest.name
        version = manifest.version
        about = manifest.about
        author = manifest.author
        licence = manifest.licence
        effects = manifest.effects.map(ReactionType.init)
        self.folder = folder
    }

    /// Returns the packs in a folder of custom effects, sorted by name; none if there is no such folder.
    ///
    /// - Throws: ``FlourishError`` if a manifest is invalid.
    public static func installed(in folder: String) throws(FlourishError) -> [EffectPack] {
        guard FileKind.of(folder) == S_IFDIR else { return [] }
        do throws(EffectError) {
            var packs: [EffectPack] = []
            for name in try EffectLibrary.packs(in: folder) {
                let place = folder + "/" + name
                packs.append(EffectPack(try PackManifest(in: place), folder: place))
            }
            return packs
        } catch { throw FlourishError(error) }
    }

    /// Returns the packs that come with Flourish, sorted by name. They can be installed by their names.
    public static func included(resources: Resources = .located()) throws(FlourishError) -> [EffectPack] {
        guard let assets = resources.assets else { return [] }
        return try installed(in: assets + "/Packs")
    }

    /// Installs a pack into a folder of custom effects. All of its files are checked before, as those of custom effects
    /// are; nothing outside of the pack is read.
    ///
    /// - Parameters:
    ///   - source: A folder, a zip archive, or the name of a pack that comes with Flourish.
    ///   - folder: The folder of custom effects. It is created if it does not exist.
    ///   - overwrite: Whether an installed pack of the same name is replaced.
    ///   - resources: The place of the built-in effects and of included packs.
    /// - Returns: The installed pack.
    /// - Throws: ``FlourishError`` if a file of the pack cannot be used, if an effect or the pack exists already, or if
    ///   the folder cannot be written. Nothing is changed in that case.
    public static func install(
        _ source: String, in folder: String, overwrite: Bool = false, resources: Resources = .located()
    ) throws(FlourishError) -> EffectPack {
        guard let assets = resources.assets else {
            throw FlourishError(
                .unavailable, "the built-in effects are not installed; see: flourish doctor", remedy: .namingAssets)
        }
        let included = assets + "/Packs/" + source
        let isIncluded = !source.contains("/") && FileKind.of(included + "/" + EffectLibrary.manifestName) != nil
        let path = isIncluded ? included : source.withoutTrailingSlashes
        let contents: PackContents
        do throws(EffectError) { contents = try PackContents(path) } catch { throw FlourishError(error) }
        let name = contents.manifest.name
        try checkNames(of: contents.manifest, at: path, in: folder, overwrite: overwrite)
        do throws(RawFileError) { try RawFile.makeFolder(Array(folder.utf8)) } catch {
            throw FlourishError(.outputUnavailable, "\(folder): the folder cannot be created (\(error.message))")
        }
        return try inScratchFolder(of: folder) { (scratch) throws(FlourishError) in
            try write(contents, to: scratch + "/" + name)
            var library: EffectLibrary
            do throws(EffectError) {
                library = try EffectLibrary(assets: assets)
                try library.add(pack: name, in: scratch)
            } catch { throw FlourishError(error.naming(path, insteadOf: scratch + "/" + name)) }
            try checkSounds(of: library, at: path, copy: scratch + "/" + name)
            let place = folder + "/" + name
            let replaced = scratch + "/replaced"
            let replaces = overwrite && move(place, to: replaced) == nil
            if let fault = move(scratch + "/" + name, to: place) {
                if replaces { _ = move(replaced, to: place) }
                throw FlourishError(.outputUnavailable, "\(place): the pack cannot be installed (\(fault.message))")
            }
            return EffectPack(contents.manifest, folder: place)
        }
    }

    /// Removes an installed pack with its folder.
    ///
    /// - Throws: ``FlourishError`` if no such pack is installed, or its folder cannot be removed.
    public static func remove(_ name: String, from folder: String) throws(FlourishError) {
        // A pack that was copied by hand may be in a folder of another name.
        let place = (try? installed(in: folder))?.first { $0.name == name }?.folder ?? folder + "/" + name
        let isName = !name.isEmpty && !name.contains("/") && !name.hasPrefix(".")
        guard isName, FileKind.of(place + "/" + EffectLibrary.manifestName) != nil else {
            let names = (try? EffectLibrary.packs(in: folder)) ?? []
            let others = names.isEmpty ? "no packs are installed" : "installed: \(names.joined(separator: ", "))"
            throw FlourishError(.inputUnavailable, "\(folder): no pack has the name \(name); \(others)")
        }
        guard FileKind.isOwnFolder(place) else {
            throw FlourishError(.outputUnavailable, "\(place): is a symbolic link; remove the link yourself")
        }
        try inScratchFolder(of: folder) { (scratch) throws(FlourishError) in
            if let fault = move(place, to: scratch + "/" + name) {
                throw FlourishError(.outputUnavailable, "\(place): the pack cannot be removed (\(fault.message))")
            }
        }
    }
}

extension EffectPack {
    /// Refuses a pack, or an effect, whose name is in use.
    private static func checkNames(
        of pack: PackManifest, at path: String, in folder: String, overwrite: Bool
    ) throws(FlourishError) {
        func refuse(_ effect: String, _ owner: String) -> FlourishError {
            FlourishError(
                .inputUnusable,
                "\(path): the effect \(effect) has the name of \(owner); rename it in the pack, or remove the other one"
            )
        }
        for effect in pack.effects where ReactionType.builtIn.contains(ReactionType(rawValue: effect)) {
            throw FlourishError(
                .inputUnusable, "\(path): the effect \(effect) has the name of a built-in one; rename it in the pack")
        }
        for effect in pack.effects where FileKind.of("\(folder)/\(effect).json") != nil {
            throw refuse(effect, "an effect of your own, \(folder)/\(effect).json")
        }
        let place = folder + "/" + pack.name
        let installed = try installed(in: folder)
        for other in installed where other.folder != place {
            if let effect = pack.effects.first(where: { other.effects.contains(ReactionType(rawValue: $0)) }) {
                throw refuse(effect, "one in the pack \(other.name)")
            }
        }
        guard FileKind.of(place) != nil else {
            if installed.count < EffectLibrary.greatestPacks { return }
            throw FlourishError(
                .outputUnavailable,
                "\(folder): holds \(installed.count) packs, which is the limit; remove one with: flourish packs --remove"
            )
        }
        guard FileKind.isOwnFolder(place), FileKind.of(place + "/" + EffectLibrary.manifestName) != nil else {
            throw FlourishError(.outputUnavailable, "\(place): exists and is not a pack; rename or remove it")
        }
        guard overwrite else {
            throw FlourishError(.outputUnavailable, "\(place): the pack is installed already", remedy: .overwriting)
        }
    }

    /// Refuses sound files that cannot be decoded or are too long.
    private static func checkSounds(
        of library: EffectLibrary, at path: String, copy: String
    ) throws(FlourishError) {
        for case .file(let sound) in library.sounds.values {
            do throws(MediaError) { _ = try SoundFile.samples(of: sound, rate: 48_000) } catch {
                throw FlourishError(.inputUnusable, error.description.replacing(copy, with: path))
            }
        }
    }

    private static func write(_ contents: PackContents, to place: String) throws(FlourishError) {
        for inner in [""] + PackContents.folders {
            let folder = inner.isEmpty ? place : place + "/" + inner
            let files = contents.files.filter { file in
                inner.isEmpty ? !file.key.contains("/") : file.key.hasPrefix(inner + "/")
            }
            if files.isEmpty { continue }
            do throws(RawFileError) { try RawFile.makeFolder(Array(folder.utf8)) } catch {
                throw FlourishError(.outputUnavailable, "\(folder): the folder cannot be created (\(error.message))")
            }
            for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
                do throws(FileError) {
                    try TemporaryFile.write(bytes, to: place + "/" + name, overwrite: false)
                } catch { throw FlourishError(error) }
            }
        }
    }

    /// Renames a folder; returns the error, if any.
    private static func move(_ path: String, to other: String) -> RawFileError? {
        do throws(RawFileError) { try RawFile.move(Array(path.utf8), to: Array(other.utf8)) } catch { return error }
        return nil
    }

    /// The maximum depth of folders that are removed.
    private static let levels = 32

    /// Calls a closure with a new hidden folder, on the same file system, and removes it with its contents.
    private static func inScratchFolder<Value>(
        of folder: String, _ body: (String) throws(FlourishError) -> Value
    ) throws(FlourishError) -> Value {
        // A replaced or removed pack may contain nested folders of its user, such as those of git.
        guard let scratch = ScratchFolder.make(".flourish-pack", in: folder, levels: levels) else {
            throw FlourishError(.outputUnavailable, "\(folder): cannot be written (\(systemMessage(errno)))")
        }
        defer { ScratchFolder.remove(scratch, levels: levels) }
        return try body(scratch)
    }
}

extension EffectError {
    /// Returns the error for a file of the source instead of its checked copy.
    fileprivate func naming(_ source: String, insteadOf copy: String) -> EffectError {
        guard file.hasPrefix(copy) else { return self }
        return EffectError(
            file: source + file.dropFirst(copy.count), key: key, message: message, isUnreadable: isUnreadable)
    }
}

extension String {
    fileprivate var withoutTrailingSlashes: String {
        var text = self[...]
        while text.count > 1, text.last == "/" { text.removeLast() }
        return String(text)
    }
}
