#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import Synchronization

/// Writes events as JSON Lines: one object a line, written at once, so that a
/// reader may join late and stop early.
///
/// A reader that stops early ends the log, not the run: see ``hasReader``. For
/// that, the process must ignore `SIGPIPE`.
public final class EventLog: Sendable {
    private struct State {
        let descriptor: Int32
        /// Whether the log made the file, and so may take it away again.
        let isNewFile: Bool
        var hasBegun = false
        var hasReader = true
        var failure: FlourishError?
    }

    private let path: String
    private let state: Mutex<State>

    /// Opens a log.
    ///
    /// - Parameter path: a file, which is created, or emptied when the first event comes;
    ///   or `-` for the standard output.
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the file cannot be written.
    public init(path: String) throws(FlourishError) {
        self.path = path
        if path == "-" {
            state = Mutex(State(descriptor: STDOUT_FILENO, isNewFile: false))
            return
        }
        let isNewFile = unsafe access(path, F_OK) != 0
        // Not emptied yet: a run that fails before its first event destroys nothing.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw FlourishError(
                .outputUnavailable,
                "\(path): events cannot be written there (\(systemMessage(errno))); choose another --events path")
        }
        state = Mutex(State(descriptor: descriptor, isNewFile: isNewFile))
    }

    deinit {
        let (descriptor, isEmpty) = state.withLock { ($0.descriptor, $0.isNewFile && !$0.hasBegun) }
        guard path != "-" else { return }
        close(descriptor)
        if isEmpty { _ = unsafe unlink(path) }
    }

    /// Whether anybody still reads; `false` once the other end of a pipe was closed.
    public var hasReader: Bool { state.withLock { $0.hasReader } }

    /// Writes one event. After a failure, which ``check()`` tells, and where nobody reads, it does nothing.
    public func write(_ event: ReactionEvent) {
        let line = Array((event.jsonLine + "\n").utf8)
        state.withLock { state in
            guard state.failure == nil, state.hasReader else { return }
            // Pipes and terminals cannot be emptied, and need not be.
            if !state.hasBegun, path != "-" { _ = ftruncate(state.descriptor, 0) }
            state.hasBegun = true
            switch DescriptorOutput.write(line, to: state.descriptor) {
            case 0: break
            case EPIPE: state.hasReader = false
            case let code:
                state.failure = FlourishError(
                    .inputOutput, "\(path): writing events failed (\(systemMessage(code)))")
            }
        }
    }

    /// Throws what went wrong with any earlier write. A reader that left is no failure.
    public func check() throws(FlourishError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}

/// The system's own words for an error number.
func systemMessage(_ code: Int32) -> String {
    unsafe String(cString: strerror(code))
}
