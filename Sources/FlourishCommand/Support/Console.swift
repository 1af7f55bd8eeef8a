import ArgumentParser
import Flourish
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What the program says on its standard error.
enum Console {
    /// Whether a person reads along.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static func write(_ text: String) {
        _ = DescriptorOutput.write(Array(text.utf8), to: STDERR_FILENO)
    }

    static func error(_ message: String) { write("flourish: \(message)\n") }

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
