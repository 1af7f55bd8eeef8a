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
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                    unsafe Darwin.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
                #else
                    unsafe Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
                #endif
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    static func error(_ message: String) { write("flourish: \(message)\n") }

    /// Runs a command's work; a failure becomes one line and its exit code.
    static func reportingErrors(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let failure as FlourishError {
            error(failure.message)
            throw ExitStatus.code(for: failure.code)
        }
    }
}
