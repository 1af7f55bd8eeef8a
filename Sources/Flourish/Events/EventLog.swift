#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import Synchronization

/// Writes events as JSON Lines: one object a line, written at once, so that a
/// reader may join late and stop early.
public final class EventLog: Sendable {
    private struct State {
        let descriptor: Int32
        let closes: Bool
        var failure: FlourishError?
    }

    private let name: String
    private let state: Mutex<State>

    /// Opens a log.
    ///
    /// - Parameter path: a file, which is created or emptied, or `-` for the standard output.
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the file cannot be created.
    public init(path: String) throws(FlourishError) {
        name = path
        if path == "-" {
            state = Mutex(State(descriptor: STDOUT_FILENO, closes: false))
            return
        }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw FlourishError(
                .outputUnavailable,
                "\(path): events cannot be written there (\(systemMessage(errno))); choose another --events path")
        }
        state = Mutex(State(descriptor: descriptor, closes: true))
    }

    deinit {
        let (descriptor, closes) = state.withLock { ($0.descriptor, $0.closes) }
        if closes { close(descriptor) }
    }

    /// Writes one event. After a failure, which ``check()`` tells, it does nothing.
    public func write(_ event: ReactionEvent) {
        let line = Array((event.jsonLine + "\n").utf8)
        state.withLock { state in
            guard state.failure == nil else { return }
            state.failure = write(line, to: state.descriptor)
        }
    }

    /// Throws what went wrong with any earlier write.
    public func check() throws(FlourishError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) -> FlourishError? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                    unsafe Darwin.write(descriptor, buffer.baseAddress, buffer.count)
                #else
                    unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
                #endif
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                return FlourishError(
                    .inputOutput, "\(name): writing events failed (\(systemMessage(errno)))")
            }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}

/// The system's own words for an error number.
func systemMessage(_ code: Int32) -> String {
    unsafe String(cString: strerror(code))
}
