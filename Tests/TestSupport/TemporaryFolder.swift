package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Folders that a test may fill and that are removed afterwards.
package enum TemporaryFolder {
    /// Makes an empty folder with a name of its own. The caller removes it.
    package static func create() throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "flourish-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}

/// Runs `body` with an empty folder, and removes the folder with all that is in it when
/// `body` returns or throws.
package func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = try TemporaryFolder.create()
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

/// Runs `body` with an empty folder, and removes the folder with all that is in it when
/// `body` returns or throws.
package nonisolated(nonsending) func withTemporaryFolder<Result>(
    _ body: nonisolated(nonsending) (URL) async throws -> Result
) async throws -> Result {
    let folder = try TemporaryFolder.create()
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

/// Makes a named pipe.
package func makeNamedPipe(at file: URL) throws {
    guard unsafe mkfifo(file.path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
}
