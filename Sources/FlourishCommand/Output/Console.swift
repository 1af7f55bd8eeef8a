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

/// What may go to the standard output, and whether it got there.
enum StandardOutput {
    /// Why something that was printed could not be written, as an error number; 0 where all could.
    private static let failure = Atomic<Int32>(0)

    /// Opens what was closed when the program began, for nothing: a file that it opens would get the number, and
    /// messages with it.
    static func fillGaps() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes a line at once: someone may read along.
    ///
    /// - Returns: whether it could be written.
    @discardableResult
    static func print(_ text: String, ending: String = "\n") -> Bool {
        let status = DescriptorOutput.write(Array((text + ending).utf8), to: STDOUT_FILENO)
        if status != 0 { failure.store(status, ordering: .relaxed) }
        return status == 0
    }

    /// Ends the program where something that was printed is lost; a reader may have left.
    ///
    /// - Throws: an exit code, once it was told.
    static func check() throws {
        let status = failure.load(ordering: .relaxed)
        guard status != 0, status != EPIPE else { return }
        Console.error("-: the standard output takes no more (\(systemMessage(status)))")
        throw ExitStatus.code(for: .inputOutput)
    }

    /// Refuses a video there beside events or cues, or on a terminal; and cues by `-`.
    static func check(_ output: String, events: String?, cues: String? = nil) throws(FlourishError) {
        if cues == "-" { throw FlourishError(.usage, "cues go into a file; give --sidecar its path") }
        guard isHere(output) else { return }
        try refuse("events", of: "--events", at: events)
        try refuse("cues", of: "--sidecar", at: cues)
        if isatty(STDOUT_FILENO) == 1 {
            throw FlourishError(.usage, "the video would go to the terminal; send it into a pipe or a file")
        }
    }

    private static func refuse(_ content: String, of option: String, at path: String?) throws(FlourishError) {
        guard isHere(path) else { return }
        throw FlourishError(
            .usage, "the standard output cannot hold video and \(content); give \(option) a file, such as /dev/stderr")
    }

    /// Whether a path is that of the standard output.
    private static func isHere(_ path: String?) -> Bool {
        path.flatMap(DescriptorOutput.descriptor) == STDOUT_FILENO
    }
}

/// The messages of a run, as files and options ask for them.
struct Messages {
    /// The style of the progress.
    let progress: ProgressStyle
    /// The least severe messages that go to the standard error.
    let level: LogLevel

    init(_ settings: Settings) {
        func text(_ name: String) -> String {
            if case .text(let text)? = settings[name]?.value { text } else { "" }
        }
        let quiet = settings["output.quiet"], style = settings["output.progress"]
        let isQuiet = quiet?.value == .flag(true)
        // Progress for programs is no message: it goes with silence, unless a stronger place asks for that.
        let keepsProgress = style?.value == .text("json") && style?.origin.place == quiet?.origin.place
        progress = isQuiet && !keepsProgress ? .none : ProgressStyle(rawValue: text("output.progress")) ?? .auto
        level = isQuiet ? .error : LogLevel(rawValue: text("output.log-level")) ?? .warning
    }
}

/// How much the program says on its standard error.
enum LogLevel: String, ExpressibleByArgument, CaseIterable, Comparable {
    case error, warning, info, debug

    static func < (a: LogLevel, b: LogLevel) -> Bool {
        allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }
}

/// How the progress of a run is shown.
enum ProgressStyle: String, ExpressibleByArgument, CaseIterable {
    /// A line that is written over, if a person reads along.
    case auto
    /// JSON Lines on the standard error, for programs.
    case json
    case none
}
