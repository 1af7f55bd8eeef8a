import ArgumentParser
import Flourish
import Platform
import Synchronization

/// What the program says on its standard error.
enum Console {
    /// The standard error under a number of its own: while a model is loaded the usual one leads nowhere, since LiteRT
    /// would talk there, and what another thread says meanwhile must not be lost.
    static let descriptor = {
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

    /// How many characters a line on the terminal holds.
    static var width: Int {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The file that everything is said of from now on; `nil` where nobody needs to be told.
    static var subject: String? {
        get { currentSubject.withLock { $0 } }
        set { currentSubject.withLock { $0 = newValue } }
    }

    private static let currentSubject = Mutex<String?>(nil)

    /// Says something in one line, of ``subject`` if there is one.
    static func error(_ message: String) {
        let name = subject.map { message.hasPrefix("\($0): ") ? "" : "\($0): " } ?? ""
        write("flourish: \((name + message).printable)\n")
    }

    /// Warns in one line.
    static func warn(_ message: String) {
        guard let name = subject, message.hasPrefix("\(name): ") else { return error("warning: \(message)") }
        error("\(name): warning: \(message.dropFirst(name.count + 2))")
    }

    /// Runs a command's work; a failure becomes one line and its exit code.
    static func reportingErrors(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let failure as FlourishError {
            if failure.code != .outputClosed { error(failure.line) }
            throw ExitStatus.code(for: failure.code)
        }
    }
}
