import ArgumentParser
import Flourish
import FlourishControl
import FoundationEssentials
import Platform

/// The command `flourish develop`. Finishes the deferred photographs of a folder, and replaces their proxies.
struct DevelopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "develop",
        abstract: "Finish the deferred photographs of a folder.",
        discussion: """
            With --photo-deferred, a run writes a proxy of each photograph of the highest quality, and stores its \
            source frames in the folder. This command finishes the photographs that the run did not, because they \
            were deferred or the run was killed, and replaces their proxies. Damaged and foreign files are reported \
            and not changed. Subfolders are searched; symbolic links to folders are not followed.

            EXAMPLES
              flourish filter call.mp4 reacted.mp4 --photos moments --photo-quality quality --photo-deferred later
              flourish develop moments
              flourish develop moments --json | jq .resolvedSettings
            """)

    @Argument(help: "The folder of photographs.", completion: .directory)
    var folder: String

    @Flag(
        name: [.long, .customShort("y")],
        help: "Also replace proxies that were changed or removed.")
    var overwrite = false

    @Flag(help: "Print each photograph as a line of JSON, instead of its path.")
    var json = false

    func run() async throws {
        try await Console.reportingErrors {
            let developer = PhotoDeveloper()
            let interrupt = InterruptHandler { developer.stop() }
            defer { interrupt.cancel() }
            let all = try await developer.develop(folder, overwrite: overwrite) { [json] finished in
                switch finished.result {
                case .developed(let photo): StandardOutput.print(json ? Self.line(finished.path, photo) : finished.path)
                case .busy: Console.warn("\(finished.path): another flourish is processing it")
                case .failed(let error): Console.error(error.line)
                }
            }
            if developer.isStopped {
                Console.error("stopped; run flourish develop again to finish the rest")
                throw ExitStatus.interrupted
            }
            let failures = all.compactMap { if case .failed(let error) = $0.result { error.code } else { nil } }
            // If there are several errors, a missing part of the installation takes precedence over an unusable file.
            if let code = failures.first(where: { $0 != .inputUnusable }) ?? failures.first {
                throw ExitStatus.code(for: code)
            }
        }
    }

    private static func line(_ path: String, _ photo: Photo) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = Line(path: path, time: photo.time, resolvedSettings: photo.resolvedSettings)
        return (try? encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The line of JSON of a photograph.
    private struct Line: Encodable {
        var path: String
        var time: Double
        var resolvedSettings: ResolvedPhotoSettings
    }
}
