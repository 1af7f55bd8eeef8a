import MediaIO
import Platform
import Reactions

/// The files among which clients of a running session may choose a background. Clients name a file by its name, never by
/// a path, since they may be other programs or a page in a browser.
extension Configuration {
    /// The paths of the files: the background at the start, and ``offeredBackgrounds`` with the pictures and videos in
    /// its folders, each sorted by name. The names of the files are different.
    package var backgroundChoices: [(name: String, path: String)] {
        var paths: [String] = []
        if case .file(let path) = videoEffects.background { paths.append(path) }
        for path in offeredBackgrounds {
            paths += FileKind.of(path) == S_IFDIR ? Self.pictures(in: path) : [path]
        }
        var known: Set<String> = []
        return paths.map { (name: Background.file($0).name, path: $0) }.filter { known.insert($0.name).inserted }
    }

    /// The number of files of a folder that are offered.
    private static let mostFiles = 200

    private static func pictures(in folder: String) -> [String] {
        let names = (try? RawFile.names(in: Array(folder.utf8))) ?? []
        return names.map { String(decoding: $0, as: UTF8.self) }
            .filter { !$0.hasPrefix(".") && isPictureOrVideo($0) && FileKind.of("\(folder)/\($0)") == S_IFREG }
            .sorted().prefix(mostFiles).map { "\(folder)/\($0)" }
    }

    private static func isPictureOrVideo(_ name: String) -> Bool {
        if StillFormat(path: name) != nil { return true }
        guard let dot = name.lastIndex(of: ".") else { return false }
        return extensions.contains(name[name.index(after: dot)...].lowercased())
    }

    /// The extensions of videos and of moving pictures.
    private static let extensions: Set<String> = ["mp4", "mov", "m4v", "mkv", "webm", "avi", "ts", "gif", "bmp"]
}
