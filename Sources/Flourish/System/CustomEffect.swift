import Effects
public import Pipeline
import Platform
public import Reactions

/// Makes files of custom effects.
public enum CustomEffect {
    /// Writes the description of an effect that shows a sprite where another effect shows its pieces, and copies the
    /// sprite beside it.
    ///
    /// ```swift
    /// let file = try CustomEffect.make("gold", sprite: "logo.png", like: .heart, in: "effects")
    /// ```
    ///
    /// - Parameters:
    ///   - name: The new reaction's name.
    ///   - sprite: An SVG, PNG, WebP or GIF file.
    ///   - model: A built-in type.
    ///   - folder: The folder of the description. It is created if it does not exist.
    ///   - overwrite: Whether existing files are replaced.
    ///   - resources: The place of the built-in effects.
    /// - Returns: The description's path.
    /// - Throws: ``FlourishError`` if the sprite cannot be used, or a file exists.
    public static func make(
        _ name: String, sprite: String, like model: ReactionType, in folder: String, overwrite: Bool = false,
        resources: Resources = .located()
    ) throws(FlourishError) -> String {
        let read: (bytes: [UInt8], format: SpriteFormat)
        do { read = try SpriteFormat.read(sprite) } catch { throw FlourishError(error) }
        return try write(
            name, showing: .sprite(name), aspectRatio: SpriteFormat.aspectRatio(of: read.bytes),
            files: [(read.format.rawValue, read.bytes)], like: model, in: folder, overwrite, resources)
    }

    /// Writes the description of an effect that shows a text where another effect shows its pieces.
    ///
    /// ```swift
    /// let file = try CustomEffect.make("party", text: "🎉", like: .heart, in: "effects")
    /// ```
    ///
    /// - Parameters:
    ///   - name: The new reaction's name.
    ///   - text: The text, or an emoji.
    ///   - model: A built-in type.
    ///   - folder: The folder of the description. It is created if it does not exist.
    ///   - overwrite: Whether existing files are replaced.
    ///   - resources: The place of the built-in effects.
    /// - Returns: The description's path.
    /// - Throws: ``FlourishError`` if the text cannot be shown, or a file exists.
    public static func make(
        _ name: String, text: String, like model: ReactionType, in folder: String, overwrite: Bool = false,
        resources: Resources = .located()
    ) throws(FlourishError) -> String {
        var builtIn = resources
        builtIn.effectFolders = []
        let library = try EffectCatalog(resources: builtIn).library
        let aspectRatio: Double
        do { aspectRatio = try library.aspectRatio(ofText: text) } catch {
            throw FlourishError(error.isUnavailable ? .unavailable : .usage, error.description)
        }
        return try write(
            name, showing: .text(text), aspectRatio: aspectRatio, files: [], like: model, in: folder, overwrite,
            resources)
    }

    /// - Parameter sprites: The sprites' files, by their extensions.
    private static func write(
        _ name: String, showing content: EffectTemplate.Content, aspectRatio: Double,
        files sprites: [(kind: String, bytes: [UInt8])], like model: ReactionType, in folder: String,
        _ overwrite: Bool, _ resources: Resources
    ) throws(FlourishError) -> String {
        guard let assets = resources.assets else {
            throw FlourishError(.unavailable, "the built-in effects are not installed; see: flourish doctor")
        }
        let names = ReactionType.builtIn.map(\.rawValue)
        guard names.contains(model.rawValue), !names.contains(name) else {
            let wrong = names.contains(name) ? "\(name) is the name of a" : "\(model.rawValue) is not a"
            throw FlourishError(.usage, "\(wrong) built-in reaction: \(names.joined(separator: ", "))")
        }
        let pack: String?
        do throws(EffectError) { pack = try EffectLibrary.pack(with: name, in: folder) } catch {
            throw FlourishError(error)
        }
        if let pack {
            throw FlourishError(
                .usage, "\(name) is the name of an effect in the pack \(pack) in \(folder); choose another name")
        }
        let stem = folder + "/" + name
        let description: (path: String, bytes: [UInt8])
        do throws(EffectError) {
            let source = assets + "/Reactions/" + model.rawValue + ".json"
            let text = try EffectTemplate.text(
                named: name, showing: content, aspectRatio: aspectRatio, from: EffectFile.read(source), file: source)
            description = (stem + ".json", Array(text.utf8))
            _ = try EffectDescription(json: description.bytes, file: description.path)
        } catch {
            // The name and the model are arguments.
            throw error.isUnreadable ? FlourishError(error) : FlourishError(.usage, error.message)
        }
        try checkFiles(description.path, stem: stem, kinds: sprites.map(\.kind), overwrite)
        do throws(RawFileError) { try RawFile.makeFolder(Array(folder.utf8)) } catch {
            throw FlourishError(.outputUnavailable, "\(folder): the folder cannot be created (\(error.message))")
        }
        for file in sprites.map({ (path: stem + "." + $0.kind, bytes: $0.bytes) }) + [description] {
            do { try TemporaryFile.write(file.bytes, to: file.path, overwrite: overwrite) } catch {
                throw FlourishError(describing: error)
            }
        }
        return description.path
    }

    /// Refuses existing files, and pictures that would be shown instead of a new one, before anything is written.
    private static func checkFiles(
        _ description: String, stem: String, kinds: [String], _ overwrite: Bool
    ) throws(FlourishError) {
        for path in [description] + kinds.map({ stem + "." + $0 }) where !overwrite && FileKind.of(path) != nil {
            throw FlourishError(.outputUnavailable, "\(path): exists already", remedy: .overwriting)
        }
        for kind in SpriteFormat.allCases.map(\.rawValue) where !kinds.isEmpty && !kinds.contains(kind) {
            if FileKind.of(stem + "." + kind) == nil { continue }
            throw FlourishError(
                .outputUnavailable, "\(stem).\(kind): could be shown instead of the new picture; remove it")
        }
    }
}
