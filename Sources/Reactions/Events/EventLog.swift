import Platform
import Synchronization

/// Writes events as JSON Lines: one object a line, written at once, so that a
/// reader may join late and stop early.
///
/// A reader that stops early ends the log, not the run: see ``hasReader``. For
/// that, the process must ignore `SIGPIPE`.
public final class EventLog: Sendable {
    private struct State: ~Copyable {
        var file: LogFile
        var hasReader = true
        var failure: FlourishError?
    }

    private let state: Mutex<State>

    /// Opens a log.
    ///
    /// - Parameter path: a file, which is created, or emptied when the first event comes;
    ///   or `-` for the standard output. `/dev/stderr`, `/dev/fd/3` and their like are what is open under these
    ///   names, and are not emptied.
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the file cannot be written.
    public init(path: String) throws(FlourishError) {
        state = Mutex(State(file: try LogFile(path: path, content: "events", option: "--events")))
    }

    /// Whether anybody still reads; `false` once the other end of a pipe was closed.
    public var hasReader: Bool { state.withLock { $0.hasReader } }

    /// Writes one event. After a failure, which ``check()`` tells, and where nobody reads, it does nothing.
    public func write(_ event: ReactionEvent) {
        let line = event.jsonLine + "\n"
        state.withLock { state in
            guard state.failure == nil, state.hasReader else { return }
            switch state.file.append(line) {
            case 0: break
            case EPIPE: state.hasReader = false
            case let code: state.failure = state.file.failure(code)
            }
        }
    }

    /// Throws what went wrong with any earlier write. A reader that left is no failure.
    public func check() throws(FlourishError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
