import ArgumentParser
import Flourish
import FoundationEssentials

/// `flourish develop`
struct DevelopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "develop",
        abstract: "Finish the photographs of a folder that were put off.",
        discussion: """
            With --photo-deferred a run writes a proxy of each photograph of the highest quality, and keeps in the folder \
            what the photograph is made of. What the run has not finished itself, since that was left to later or the run \
            was killed, is finished here: each photograph takes its proxy's place. What is damaged or foreign is told and \
            stays as it is, and the others go on. Folders in the folder are looked through, too; links to folders are not \
            followed.

            EXAMPLES
              flourish filter call.mp4 reacted.mp4 --photos moments --photo-quality quality --photo-deferred later
              flourish develop moments
              flourish develop moments --json | jq .resolvedSettings
            """)

    @Argument(help: "The folder of photographs.", completion: .directory)
    var folder: String

    @Flag(
        name: [.long, .customShort("y")],
        help: "Also replace proxies that were changed, and make those anew that were removed.")
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
                case .busy: Console.warn("\(finished.path): another flourish is at work on it")
                case .failed(let error): Console.error(error.line)
                }
            }
            if developer.isStopped {
                Console.error("stopped; what is not finished yet can be later: flourish develop goes on with it")
                throw ExitStatus.interrupted
            }
            let failures = all.compactMap { if case .failed(let error) = $0.result { error.code } else { nil } }
            // Of several, what the machine lacks counts for more than what a file does.
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

    /// What is told of a photograph.
    private struct Line: Encodable {
        var path: String
        var time: Double
        var resolvedSettings: ResolvedPhotoSettings
    }
}
