import Foundation
import TestSupport

/// The shared library, linked once from the objects of this build, and the programs that use it.
enum LibraryBuild {
    /// The reason why the library cannot be built here; `nil` if it can.
    static let obstacle: String? = {
        #if os(Linux)
        if Sanitizer.current != nil { return "the objects are built with a sanitizer; a C program cannot load them" }
        guard objects != nil else { return "flourish-c.product is not beside the tests: build with SwiftPM" }
        for tool in ["swiftc", "pkg-config", "nm"] where (try? Program.onPath(tool)) == nil {
            return "\(tool) is not on the PATH"
        }
        return nil
        #else
        return "the library is built on Linux alone"
        #endif
    }()

    /// The folder of the products that the tests belong to.
    private static let products: URL? = {
        for argument in CommandLine.arguments where argument.contains(".xctest") {
            var folder = URL(filePath: argument)
            while folder.pathComponents.count > 1 {
                folder.deleteLastPathComponent()
                if FileManager.default.fileExists(atPath: list(in: folder).path) { return folder }
            }
        }
        return nil
    }()

    private static func list(in folder: URL) -> URL {
        folder.appending(path: "flourish-c.product/Objects.LinkFileList")
    }

    private static var objects: URL? { products.map(list) }

    /// The folder with `include` and `lib`.
    static let prefix = Task { () async throws -> URL in
        let prefix = products!.appending(path: "c-library")
        try await Program(executable: Repository.root.appending(path: "Scripts/library")).succeed(
            ["--prefix", prefix.path, "--objects", objects!.path], timeout: .seconds(300))
        return prefix
    }

    /// The folder of Swift's toolchain with `bin` and `lib`.
    private static func toolchain() throws -> URL {
        try Program.onPath("swiftc").executable.resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
    }

    /// The C compiler of Swift's toolchain, which has the sanitizers.
    private static func compiler() throws -> Program {
        Program(executable: try toolchain().appending(path: "bin/clang"))
    }

    /// Compiles a C program that uses the library.
    ///
    /// - Parameters:
    ///   - sources: A file or a folder, in the repository unless the path is absolute.
    ///   - options: Further options of the compiler.
    static func compile(_ sources: String, to name: String, _ options: [String]) async throws -> Program {
        let prefix = try await prefix.value
        let source = sources.hasPrefix("/") ? URL(filePath: sources) : Repository.root.appending(path: sources)
        var files = [source]
        if source.pathExtension.isEmpty {
            files = try FileManager.default.contentsOfDirectory(at: source, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "c" }
        }
        let packages = options.contains("-lavutil") ? ["flourish", "libavutil"] : ["flourish"]
        let flags = try await Program.onPath("pkg-config").succeed(
            ["--cflags", "--libs"] + packages,
            environment: ["PKG_CONFIG_PATH": prefix.appending(path: "lib/pkgconfig").path]
        ).standardOutput.split(whereSeparator: \.isWhitespace)
        let program = prefix.appending(path: name)
        var arguments = options.filter { $0 != "-lavutil" }
        arguments += ["-fuse-ld=lld", "-Wall", "-Wextra", "-Werror", "-o", program.path]
        arguments += files.map(\.path).sorted()
        arguments += flags.map { String($0) }
        arguments += ["-Wl,-rpath,\(prefix.path)/lib", "-lpthread", "-lm"]
        try await compiler().succeed(arguments, timeout: .seconds(300))
        return Program(executable: program)
    }

    private static let clientOptions = ["-std=gnu11", "-D_GNU_SOURCE", "-g", "-O1", "-lavutil"]

    /// The program of `Client`, with the sanitizers of addresses and undefined behaviour.
    static let client = Task { () async throws -> Program in
        try await compile(
            "Tests/FlourishCTests/Client", to: "client",
            clientOptions + ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
    }

    /// The same program without sanitizers.
    static let plainClient = Task { () async throws -> Program in
        try await compile("Tests/FlourishCTests/Client", to: "plain-client", clientOptions)
    }

    /// The same program with the sanitizer of threads, whose runtime needs libdispatch in Swift's toolchain.
    static let threadClient = Task { () async throws -> Program in
        let dispatch = try toolchain().appending(path: "lib/swift/linux").path
        return try await compile(
            "Tests/FlourishCTests/Client", to: "thread-client",
            clientOptions + [
                "-fsanitize=thread", "-L\(dispatch)", "-Wl,-rpath,\(dispatch)", "-ldispatch", "-lBlocksRuntime",
            ])
    }
}
