package import Foundation

/// The built command-line program `flourish`, to be run by end-to-end tests.
///
/// ```swift
/// let result = try await Program.flourish.run(["reactions", "--json"])
/// #expect(result.exitCode == 0)
/// ```
///
/// Any other executable can be run the same way, see ``FFmpegTool``.
package struct Program: Sendable {
    /// The executable's file.
    package let executable: URL

    /// - Parameter executable: the executable's file; it need not exist yet.
    package init(executable: URL) {
        self.executable = executable
    }

    /// The program that was built together with the running tests, or the one that
    /// the environment's `FLOURISH_PROGRAM` names.
    package static let flourish = Program(executable: locateFlourish())

    /// Finds an executable on the `PATH`.
    ///
    /// - Throws: ``ProgramError/notFound(_:)``.
    package static func onPath(_ name: String) throws(ProgramError) -> Program {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        for folder in path.split(separator: ":") {
            let file = URL(filePath: String(folder)).appending(path: name)
            if FileManager.default.isExecutableFile(atPath: file.path) {
                return Program(executable: file)
            }
        }
        throw .notFound(name)
    }

    /// The test runner and the products are in one folder. The name of the process depends on the way it was started,
    /// hence the search upwards.
    private static func locateFlourish() -> URL {
        if let path = ProcessInfo.processInfo.environment["FLOURISH_PROGRAM"], !path.isEmpty {
            return URL(filePath: path)
        }
        var places: [URL] = []
        for argument in CommandLine.arguments where argument.contains(".xctest") {
            var folder = URL(filePath: argument)
            while folder.pathComponents.count > 1 {
                folder.deleteLastPathComponent()
                places.append(folder.appending(path: "flourish"))
            }
        }
        places += ["release", "debug"].map {
            Repository.root.appending(path: ".build/\($0)/flourish")
        }
        return places.first(where: isRegularExecutable) ?? places[places.count - 2]
    }

    /// A folder, such as that of the sources, may have the program's name too.
    private static func isRegularExecutable(_ file: URL) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return attributes?[.type] as? FileAttributeType == .typeRegular
            && FileManager.default.isExecutableFile(atPath: file.path)
    }
}

/// The reasons why a program could not be run to its end.
package enum ProgramError: Error, CustomStringConvertible {
    /// No such executable.
    case notFound(String)
    /// The system refused to start it.
    case notStarted(String, underlyingError: any Error)
    /// It exceeded its time limit and was killed.
    case timedOut(String, Duration)
    /// It ended with an exit code other than 0, where success was expected.
    case failed(ProgramResult)

    package var description: String {
        switch self {
        case .notFound(let name): "no executable '\(name)'"
        case .notStarted(let name, let error): "'\(name)' did not start: \(error)"
        case .timedOut(let command, let limit): "'\(command)' ran longer than \(limit)"
        case .failed(let result):
            "'\(result.command)' ended with \(result.exitCode): \(result.standardError)"
        }
    }
}
