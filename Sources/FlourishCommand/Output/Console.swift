import ArgumentParser
import Flourish
import FoundationEssentials
import Platform
import Synchronization

/// Messages to the standard error.
enum Console {
    /// A copy of the standard error. While a model is loaded, the original descriptor leads to `/dev/null`, because
    /// LiteRT prints messages there. Messages of other threads must not be lost in the meantime.
    static let descriptor = {
        let copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        return copy < 0 ? STDERR_FILENO : copy
    }()

    /// Copies the standard error. Must be called before any model is loaded.
    static func open() { _ = descriptor }

    /// True if the standard error is a terminal.
    static var isTerminal: Bool { isatty(descriptor) == 1 }

    static func write(_ text: String) {
        _ = DescriptorOutput.write(Array(text.utf8), to: descriptor)
    }

    /// The width of the terminal, in characters.
    static var width: Int {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The input that messages name; `nil` for none.
    static var subject: String? {
        get { currentSubject.withLock { $0 } }
        set { currentSubject.withLock { $0 = newValue } }
    }

    private static let currentSubject = Mutex<String?>(nil)

    /// Prints a message in one line, after ``subject`` if there is one.
    static func error(_ message: String) {
        let name = subject.map { message.hasPrefix("\($0): ") ? "" : "\($0): " } ?? ""
        write("flourish: \((name + message).printable)\n")
    }

    /// Prints a warning in one line.
    static func warn(_ message: String) {
        guard let name = subject, message.hasPrefix("\(name): ") else { return error("warning: \(message)") }
        error("\(name): warning: \(message.dropFirst(name.count + 2))")
    }
}

/// The standard output, and whether writing to it has failed.
enum StandardOutput {
    /// The error number of a failed write; 0 if there is none.
    private static let failure = Atomic<Int32>(0)

    /// Opens closed standard descriptors as `/dev/null`, in the direction that makes every use fail. Otherwise the next
    /// file to be opened could get the number 1 or 2, and messages would be written to that file.
    static func fillGaps() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes a line at once, without a buffer, for readers that follow the output.
    ///
    /// - Returns: True if it could be written.
    @discardableResult
    static func print(_ text: String, ending: String = "\n") -> Bool {
        let status = DescriptorOutput.write(Array((text + ending).utf8), to: STDOUT_FILENO)
        if status != 0 { failure.store(status, ordering: .relaxed) }
        return status == 0
    }

    /// Prints a value as JSON over several lines.
    static func print(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Prints a table whose columns are two spaces apart.
    ///
    /// - Parameter width: Returns the width of a column, from its index and the length of its longest text.
    static func print(columns rows: [[String]], width: (_ column: Int, _ longest: Int) -> Int = { $1 }) {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in width(column, rows.map { $0[column].count }.max() ?? 0) }
        for row in rows {
            print(zip(row, widths).dropLast().map { Wording.padded($0, to: $1) + "  " }.joined() + (row.last ?? ""))
        }
    }

    /// Checks that all output was written. A closed pipe is not an error.
    ///
    /// - Throws: An exit code, after the message.
    static func check() throws {
        let status = failure.load(ordering: .relaxed)
        guard status != 0, status != EPIPE else { return }
        Console.error("-: writing to the standard output failed (\(systemMessage(status)))")
        throw ExitStatus.code(for: .inputOutput)
    }

    /// Refuses a video on the standard output if events or cues are written there as well, or if it is a terminal. Also
    /// refuses cues at `-`.
    static func check(_ output: String, events: String?, cues: String? = nil) throws(FlourishError) {
        if cues == "-" { throw FlourishError(.usage, "cues are written to a file; give --sidecar its path") }
        guard isHere(output) else { return }
        try refuse("events", of: "--events", at: events)
        try refuse("cues", of: "--sidecar", at: cues)
        if isatty(STDOUT_FILENO) == 1 {
            throw FlourishError(.usage, "the standard output is a terminal; redirect the video to a pipe or a file")
        }
    }

    private static func refuse(_ content: String, of option: String, at path: String?) throws(FlourishError) {
        guard isHere(path) else { return }
        throw FlourishError(
            .usage,
            "the standard output cannot carry both video and \(content); give \(option) a file, such as /dev/stderr")
    }

    /// Returns whether a path refers to the standard output.
    private static func isHere(_ path: String?) -> Bool {
        path.flatMap(DescriptorOutput.descriptor) == STDOUT_FILENO
    }
}

/// The settings for the messages of a run.
struct Messages {
    /// The style of the progress.
    let progress: ProgressStyle
    /// The lowest severity of messages that are printed.
    let level: LogLevel

    init(_ settings: Settings) {
        func text(_ name: String) -> String {
            if case .text(let text)? = settings[name]?.value { text } else { "" }
        }
        let quiet = settings["output.quiet"], style = settings["output.progress"]
        let isQuiet = quiet?.value == .flag(true)
        // JSON progress is not a message. `--quiet` suppresses it only if `--quiet` comes from a stronger origin.
        let keepsProgress = style?.value == .text("json") && style?.origin.place == quiet?.origin.place
        progress = isQuiet && !keepsProgress ? .none : ProgressStyle(rawValue: text("output.progress")) ?? .auto
        level = isQuiet ? .error : LogLevel(rawValue: text("output.log-level")) ?? .warning
    }
}

/// The severity of messages on the standard error.
enum LogLevel: String, ExpressibleByArgument, CaseIterable, Comparable {
    case error, warning, info, debug

    static func < (a: LogLevel, b: LogLevel) -> Bool {
        allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }
}

/// The style of a run's progress.
enum ProgressStyle: String, ExpressibleByArgument, CaseIterable {
    /// A line that is updated, on a terminal.
    case auto
    /// JSON Lines to the standard error.
    case json
    case none
}
