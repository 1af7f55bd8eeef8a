import Foundation
import TestSupport
import Testing

/// Type-checks all examples in documentation comments: the blocks fenced with "```swift" in `Sources`.
///
/// The compiler sees each example as the body of its own `async throws` function. An example of the library's API
/// (targets Flourish, Pipeline, Reactions and Studio) may use what `import Flourish` offers,
/// an example of another target also declarations with `package` access. Examples use names that ``libraryNames`` and ``packageNames``
/// declare, such as `session` and `plan`, without declaring them.
@Suite struct ExamplesTests {
    /// An example in a source file.
    private struct Example {
        /// The file's path in the repository.
        var file: String
        /// The number of its first line in the file.
        var line: Int
        var code: [String]

        var target: Substring { file.split(separator: "/")[1] }
    }

    /// The targets of the library's API.
    private static let libraryTargets: Set<Substring> = [
        "Flourish", "Pipeline", "Reactions", "Studio",
    ]

    /// The names that examples of the library use without declaring them.
    private static let libraryNames = """
        import Flourish

        struct Camera {
            var time: Double { fatalError() }
            func nextPicture() -> [UInt8]? { fatalError() }
        }

        var address: UnsafeMutableRawPointer { fatalError() }
        var bytes: [UInt8] { fatalError() }
        var camera: Camera { fatalError() }
        var configuration: Configuration { get { fatalError() } set {} }
        var event: ReactionEvent { fatalError() }
        var hand: HandInspection { fatalError() }
        var plan: ReactionPlan { get { fatalError() } set {} }
        var processor: ReactionProcessor { fatalError() }
        var report: BatchReport { fatalError() }
        var request: BatchRequest { get { fatalError() } set {} }
        var session: ReactionSession { fatalError() }
        var settings: Settings { get { fatalError() } set {} }

        """

    /// The names that examples of other targets use without declaring them.
    private static let packageNames = """
        import Flourish
        import FlourishControl
        import Vision
        import MediaIO
        import Raster

        var detector: PalmDetector { fatalError() }
        var demuxer: Demuxer { fatalError() }
        var encoder: VideoEncoder { fatalError() }
        var feed: EventFeed { fatalError() }
        var geometry: DisplayGeometry { fatalError() }
        var landmarker: HandLandmarker { fatalError() }
        var observation: FrameObservation { fatalError() }
        var packet: Packet { fatalError() }
        var picture: Picture { fatalError() }
        var seconds: Double { fatalError() }
        var session: ReactionSession { fatalError() }

        func answer(_ event: GestureEvent) {}
        func show(_ frame: borrowing VideoFrame) {}

        """

    private static let examples: [Example] = {
        let root = Repository.root.appending(path: "Sources")
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".swift") }.sorted().flatMap { path in
            let text = (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
            return examples(in: text, of: "Sources/" + path)
        }
    }()

    private static func examples(in text: String, of file: String) -> [Example] {
        var found: [Example] = []
        var current: Example?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.drop { $0 == " " }
            guard line.hasPrefix("///") else {
                current = nil
                continue
            }
            let comment = line.dropFirst(3)
            switch (comment, current) {
            case (" ```swift", nil): current = Example(file: file, line: index + 2, code: [])
            case (" ```", let example?):
                found.append(example)
                current = nil
            default: current?.code.append(String(comment.first == " " ? comment.dropFirst() : comment))
            }
        }
        return found
    }

    private static let hasCompiler =
        (try? Program.onPath("swiftc")) != nil && (try? Program.onPath("pkg-config")) != nil

    @Test func publicTypesHaveExamples() {
        #expect(Self.examples.count { Self.libraryTargets.contains($0.target) } >= 80)
    }

    @Test(.enabled(if: hasCompiler, "swiftc and pkg-config are not on the PATH"))
    func examplesOfTheLibraryCompile() async throws {
        let examples = Self.examples.filter { Self.libraryTargets.contains($0.target) }
        try await typeCheck(examples, names: Self.libraryNames, [])
    }

    @Test(.enabled(if: hasCompiler, "swiftc and pkg-config are not on the PATH"))
    func examplesInsideThePackageCompile() async throws {
        let examples = Self.examples.filter { !Self.libraryTargets.contains($0.target) }
        // SwiftPM derives the package's name from that of its folder.
        let name = String(
            Repository.root.lastPathComponent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
        try await typeCheck(examples, names: Self.packageNames, ["-package-name", name])
    }

    private func typeCheck(_ examples: [Example], names: String, _ options: [String]) async throws {
        let functions = examples.enumerated().map { index, example in
            """
            func example\(index)() async throws {
            #sourceLocation(file: "\(example.file)", line: \(example.line))
            \(example.code.joined(separator: "\n"))
            #sourceLocation()
            }

            """
        }
        let search = try await searchOptions()
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "Examples.swift")
            try (names + functions.joined()).write(to: file, atomically: true, encoding: .utf8)
            let result = try await Program.onPath("swiftc").run(
                ["-typecheck", "-parse-as-library", "-swift-version", "6", "-suppress-warnings"] + options + search
                    + [file.path])
            #expect(result.exitCode == 0, "\(result.standardError)")
        }
    }

    /// Returns the compiler's options that find the modules which were built together with the tests.
    private func searchOptions() async throws -> [String] {
        let products = try #require(
            Self.productFolders.first { Self.exists($0.appending(path: "Modules/Flourish.swiftmodule")) },
            "no folder Modules beside the tests or FLOURISH_PROGRAM")
        let sources = Repository.root.appending(path: "Sources")
        var folders = [products.appending(path: "Modules").path]
        folders += Self.children(of: sources).filter { Self.exists($0.appending(path: "module.modulemap")) }.map(\.path)
        var maps = Self.children(of: products).map { $0.appending(path: "module.modulemap") }
        var scratch = products
        while scratch.pathComponents.count > 1, !Self.exists(scratch.appending(path: "checkouts")) {
            scratch.deleteLastPathComponent()
        }
        for package in Self.children(of: scratch.appending(path: "checkouts")) {
            maps += Self.children(of: package.appending(path: "Sources"))
                .map { $0.appending(path: "include/module.modulemap") }
        }
        let libraries = try await Program.onPath("pkg-config").succeed([
            "--cflags-only-I", "libavformat", "libavcodec", "libswscale", "libavutil", "freetype2", "zlib",
        ])
        let headers = libraries.standardOutput.split(whereSeparator: \.isWhitespace).map(String.init)
        return folders.flatMap { ["-I", $0] }
            + maps.filter(Self.exists).map { "-fmodule-map-file=\($0.path)" }.flatMap { ["-Xcc", $0] }
            + headers.flatMap { ["-Xcc", $0] }
    }

    /// The folders that may hold the products of the build: those above the running tests, and the program's.
    private static var productFolders: [URL] {
        var folders: [URL] = []
        for argument in CommandLine.arguments where argument.contains(".xctest") {
            var folder = URL(filePath: argument)
            while folder.pathComponents.count > 1 {
                folder.deleteLastPathComponent()
                folders.append(folder)
            }
        }
        return folders + [Program.flourish.executable.deletingLastPathComponent()]
    }

    private static func children(of folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appending(path: $0) }
    }

    private static func exists(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }
}
