import ArgumentParser
import Flourish
import Platform

/// What the program says on its standard error.
enum Console {
    /// The standard error under a number of its own: while a model is loaded the usual one leads nowhere, since LiteRT
    /// would talk there, and what another thread says meanwhile must not be lost.
    private static let descriptor = {
        let copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        return copy < 0 ? STDERR_FILENO : copy
    }()

    /// To be called before any model is loaded.
    static func open() { _ = descriptor }

    /// Whether a person reads along.
    static var isTerminal: Bool { isatty(descriptor) == 1 }

    static func write(_ text: String) {
        _ = DescriptorOutput.write(Array(text.utf8), to: descriptor)
    }

    /// Says something in one line.
    static func error(_ message: String) { write("flourish: \(message.printable)\n") }

    /// Runs a command's work; a failure becomes one line and its exit code.
    static func reportingErrors(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let failure as FlourishError {
            if failure.code != .outputClosed { error(failure.message) }
            throw ExitStatus.code(for: failure.code)
        }
    }
}
