package import Foundation

/// Footage and photographs of real people that may be beside the repository, and that the project cannot ship.
///
/// ```swift
/// @Test(.enabled(if: SharedMedia.isPresent, "needs the shared footage"))
/// func thumbIsSeen() throws {
///     let video = try #require(SharedMedia.file("videos/positive/…"))
/// }
/// ```
package enum SharedMedia {
    /// The folder: the value of `FLOURISH_SHARED_MEDIA`, or `../shared/media`.
    package static let folder: URL? = {
        let named = ProcessInfo.processInfo.environment["FLOURISH_SHARED_MEDIA"]
        let folder =
            named.map { URL(filePath: $0) }
            ?? Repository.root.deletingLastPathComponent().appending(path: "shared/media")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// True if the folder exists.
    package static var isPresent: Bool { folder != nil }

    /// A file below the folder, or nil if it is absent.
    package static func file(_ path: String) -> URL? {
        guard let file = folder?.appending(path: path),
            FileManager.default.fileExists(atPath: file.path)
        else { return nil }
        return file
    }

    /// The files of a subfolder whose names end with one of `extensions`, sorted by name,
    /// with those of its own subfolders; empty where it is absent.
    package static func files(in path: String, extensions: Set<String>) -> [URL] {
        guard let start = file(path),
            let enumerator = FileManager.default.enumerator(atPath: start.path)
        else { return [] }
        return enumerator.compactMap { $0 as? String }
            .sorted()
            .map { start.appending(path: $0) }
            .filter { extensions.contains($0.pathExtension.lowercased()) }
    }
}
