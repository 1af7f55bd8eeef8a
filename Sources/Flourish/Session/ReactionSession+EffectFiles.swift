import Effects
package import Platform
import Reactions

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
