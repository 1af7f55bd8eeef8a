import Effects
import Platform
import Pipeline
public import Reactions
public import SessionSettings

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
    ///   - sprite: An SVG, PNG or WebP file.
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
        guard let assets = resources.assets else {
            throw FlourishError(.unavailable, "the built-in effects are not installed; see: flourish doctor")
        }
        let names = ReactionType.builtIn.map(\.rawValue)
        guard names.contains(model.rawValue), !names.contains(name) else {
            let wrong = names.contains(name) ? "\(name) is the name of a" : "\(model.rawValue) is not a"
            throw FlourishError(.usage, "\(wrong) built-in reaction: \(names.joined(separator: ", "))")
        }
        let stem = folder + "/" + name
        let files: [(path: String, bytes: [UInt8])]
        do throws(EffectError) {
            let (bytes, format) = try SpriteFormat.read(sprite)
            let source = assets + "/Reactions/" + model.rawValue + ".json"
            let text = try EffectTemplate.text(named: name, sprite: name, from: EffectFile.read(source), file: source)
            files = [(stem + "." + format.rawValue, bytes), (stem + ".json", Array(text.utf8))]
            _ = try EffectDescription(json: files[1].bytes, file: files[1].path)
        } catch { throw FlourishError(error) }
        do throws(RawFileError) { try RawFile.makeFolder(Array(folder.utf8)) } catch {
            throw FlourishError(.outputUnavailable, "\(folder): the folder cannot be created (\(error.message))")
        }
        for file in files {
            do { try TemporaryFile.write(file.bytes, to: file.path, overwrite: overwrite) } catch {
                throw FlourishError(describing: error)
            }
        }
        return files[1].path
    }
}
