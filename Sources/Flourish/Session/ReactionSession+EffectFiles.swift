package import Platform
import Reactions

/// The files of custom effects, which may change while a program shows them.
extension ReactionSession {
    /// The maximum number of watched files of a folder.
    private static let greatestCount = 1000

    /// Returns the files in the folders of custom effects: descriptions, sprites and fonts. Different stamps
    /// indicate a change.
    package func effectFileStamps() -> [String: FileStamp] {
        let folders = resources.effectFolders.flatMap { [$0, $0 + "/Sprites"] }
        let files = folders.flatMap { folder in
            ((try? EffectFile.names(in: folder)) ?? []).prefix(Self.greatestCount).map { folder + "/" + $0 }
        }
        return files.reduce(into: [:]) { $0[$1] = FileStamp(of: $1) }
    }
}
