import Effects
import MediaIO
import Pipeline
package import Platform
import Raster
package import Reactions

/// Renders icons of reaction types as PNG, from the sprites of their effects.
extension ReactionSession {
    /// Returns an icon of a type for a user interface, as the bytes of a PNG file with a transparent background, made
    /// from the effect's own sprites.
    ///
    /// - Parameters:
    ///   - reactionType: the type.
    ///   - height: the picture's height in pixels.
    /// - Returns: `nil` for a type that cannot be shown or has no sprite.
    /// - Throws: ``FlourishError``.
    public func pngIcon(for reactionType: ReactionType, height: Int = 96) throws(FlourishError) -> [UInt8]? {
        let catalog = try EffectCatalog(resources: resources)
        do {
            return try catalog.library.iconImage(of: reactionType.rawValue, height: height) { svg, width, height in
                try RGBAImage.sprite(svg, width: width, height: height)
            }?.pngBytes()
        } catch {
            throw FlourishError(describing: error)
        }
    }
}

/// The files of custom effects, which may change while a program shows them.
extension ReactionSession {
    /// The maximum number of watched files of a folder.
    private static let greatestCount = 1000

    /// The extensions of watched files: descriptions, sprites, sounds and fonts.
    private static let endings = [".json", ".svg", ".png", ".webp", ".gif", ".wav", ".ogg", ".ttf", ".otf", ".ttc"]

    /// Returns the files in the folders of custom effects and of their packs: descriptions, sprites, sounds and fonts.
    /// Different stamps indicate a change.
    package func effectFileStamps() -> [String: FileStamp] {
        let roots = resources.effectFolders.flatMap { root in
            [root] + ((try? EffectLibrary.packs(in: root)) ?? []).map { root + "/" + $0 }
        }
        let files = roots.flatMap { [$0, $0 + "/Sprites", $0 + "/Sounds"] }.flatMap { folder in
            ((try? EffectFile.names(in: folder)) ?? [])
                .filter { name in !name.hasPrefix(".") && Self.endings.contains(where: name.hasSuffix) }
                .prefix(Self.greatestCount).map { folder + "/" + $0 }
        }
        return files.reduce(into: [:]) { $0[$1] = FileStamp(of: $1) }
    }
}
