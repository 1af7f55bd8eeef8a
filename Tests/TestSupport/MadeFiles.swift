package import Foundation

/// Files that tests make from nothing, such as recordings of the puppet: each is made once in a run of the tests.
package actor MadeFiles {
    package static let shared = MadeFiles()

    private static let folder: URL = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "flourish-made-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: MadeFiles.folder) }
        return folder
    }()

    private var files: [[String]: Task<URL, any Error>] = [:]

    /// Copies the file of a recipe to a place. The first request makes it.
    ///
    /// - Parameters:
    ///   - recipe: all that the file's bytes depend on.
    ///   - make: makes it at the given place, whose name has the extension of `place`.
    package func copy(
        _ recipe: [String], to place: URL, making make: @escaping @Sendable (URL) async throws -> Void
    ) async throws {
        let recipe = recipe + [place.pathExtension]
        let file = Self.folder.appending(path: "\(files.count).\(place.pathExtension)")
        let task =
            files[recipe]
            ?? Task {
                try await make(file)
                return file
            }
        files[recipe] = task
        let made = try await task.value
        try? FileManager.default.removeItem(at: place)
        try FileManager.default.copyItem(at: made, to: place)
    }
}
