import Platform
import Synchronization

/// Writes events as JSON Lines: one object a line, written immediately. A reader may join late and stop early. Any
/// thread may call it.
///
/// A reader that stops early ends the log, but not the run; see ``hasReader``. The process must ignore `SIGPIPE` for
/// this.
///
/// ```swift
/// let log = try EventLog(path: "events.jsonl")
/// try await session.filter("call.mp4", to: "reacted.mp4", observer: SessionObserver(event: { log.write($0) }))
/// try log.check()
/// ```
public final class EventLog: Sendable {
    private struct State: ~Copyable {
        var file: LogFile
        var hasReader = true
        var failure: FlourishError?
    }

    private let state: Mutex<State>

    /// Opens a log.
    ///
    /// - Parameter path: A file, which is created, or emptied before the first event; `-` for the standard output.
    ///   `/dev/stderr`, `/dev/fd/3` and similar names denote open descriptors, which are not emptied.
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the file cannot be written.
    public init(path: String) throws(FlourishError) {
        state = Mutex(State(file: try LogFile(path: path, content: "events", option: "--events")))
    }

    /// True if there is a reader; `false` when the other end of a pipe was closed.
    public var hasReader: Bool { state.withLock { $0.hasReader } }

    /// Writes one event. Does nothing without a reader, or after a failure, which ``check()`` throws.
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

    /// Throws the error of any earlier write. A reader that closed the pipe is not an error.
    public func check() throws(FlourishError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Removes the file if it was created for this log and no event was written. A process that ends after a failure
    /// calls this, because other threads may still hold the log.
    package func removeIfUnused() { state.withLock { $0.file.removeIfUnused() } }
}

/// A file or an open descriptor to which text is appended as events happen.
///
/// A file is emptied before the first write. If a run fails before, an existing file keeps its content, and a file that
/// was created is removed. Text is appended to a descriptor without emptying it.
struct LogFile: ~Copyable {
    let path: String
    /// The kind of content, for messages.
    private let content: String
    private let descriptor: Int32
    /// True if the file was opened by name.
    private let isFile: Bool
    /// True if opening created the file.
    private let isNew: Bool
    private(set) var hasBegun = false

    /// - Parameters:
    ///   - path: `-` for the standard output; see ``DescriptorOutput/descriptor(named:)`` for other descriptors.
    ///   - content: The kind of content, such as `events`.
    ///   - option: The option that gave the path.
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the file cannot be written.
    init(path: String, content: String, option: String) throws(FlourishError) {
        self.path = path
        self.content = content
        if let open = DescriptorOutput.descriptor(named: path) {
            (isFile, isNew) = (false, false)
            descriptor = fcntl(open, F_DUPFD_CLOEXEC, 0)
        } else {
            isFile = true
            isNew = unsafe access(path, F_OK) != 0
            descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
        }
        guard descriptor >= 0 else {
            throw FlourishError(
                .outputUnavailable,
                "\(path): \(content) cannot be written (\(systemMessage(errno))); choose another \(option) path")
        }
    }

    deinit {
        close(descriptor)
        removeIfUnused()
    }

    /// Removes a file that was created, but not written to.
    func removeIfUnused() {
        if isNew, !hasBegun { _ = unsafe unlink(path) }
    }

    /// Writes immediately. Returns 0, or the error number of the write that failed.
    mutating func append(_ text: String) -> Int32 {
        // Pipes and terminals cannot be emptied, and need not be.
        if !hasBegun, isFile { _ = ftruncate(descriptor, 0) }
        hasBegun = true
        return DescriptorOutput.write(Array(text.utf8), to: descriptor)
    }

    /// Returns the error for a write that failed.
    func failure(_ code: Int32) -> FlourishError {
        var error = FlourishError(.inputOutput, "\(path): writing \(content) failed (\(systemMessage(code)))")
        error.isDiskFull = code == ENOSPC || code == EDQUOT
        return error
    }
}

/// Writes the effects in progress as a WebVTT file of metadata cues, for web players. Each interval with the same
/// effects is a cue. The text of a cue is `{"effects": […]}`, as in the JSON contract.
///
/// A cue is written when it ends.
///
/// ```swift
/// let cues = try CueLog(path: "effects.vtt")
/// try await session.detect("call.mp4", observer: SessionObserver(event: { cues.write($0) }))
/// try cues.check()
/// ```
public final class CueLog: Sendable {
    private struct State: ~Copyable {
        var file: LogFile
        /// The interval in progress.
        var current: (start: Double, effects: [ReactionEffectState])?
        var failure: FlourishError?

        mutating func put(_ text: String) {
            guard failure == nil else { return }
            let code = file.append(text)
            if code != 0 { failure = file.failure(code) }
        }

        mutating func finishCue(at end: Double) {
            guard let (start, effects) = current, end > start else { return }
            // The characters `-->` would end the cue's text, so the last one is escaped.
            let text = JSONLine.encode(["effects": effects]).split(separator: "-->", omittingEmptySubsequences: false)
                .joined(separator: "--\\u003e")
            put("\n\(CueLog.clock(start)) --> \(CueLog.clock(end))\n\(text)\n")
        }
    }

    private let state: Mutex<State>

    /// Opens the file. A new file is created now; an existing one is emptied before the first event.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if it cannot be written.
    public init(path: String) throws(FlourishError) {
        state = Mutex(State(file: try LogFile(path: path, content: "cues", option: "--sidecar")))
    }

    /// Processes an event, on any thread. Writes the cue in progress if the event ends it.
    public func write(_ event: ReactionEvent) {
        state.withLock { state in
            if !state.file.hasBegun { state.put("WEBVTT\n\nNOTE The effects in progress, written by flourish\n") }
            switch event.kind {
            case .effectsInProgress(let effects):
                state.finishCue(at: event.time)
                state.current = effects.isEmpty ? nil : (event.time, effects)
            case .streamEnded:
                state.finishCue(at: event.time)
                state.current = nil
            default: break
            }
        }
    }

    /// Throws the error of any earlier write.
    public func check() throws(FlourishError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// See ``EventLog/removeIfUnused()``.
    package func removeIfUnused() { state.withLock { $0.file.removeIfUnused() } }

    /// Formats a time: 75.5 → 00:01:15.500. WebVTT has no negative times, and times are limited to a million hours.
    package static func clock(_ seconds: Double) -> String {
        let all = Int((min(max(0, seconds), 3.6e9) * 1000).rounded())
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return
            "\(digits(all / 3_600_000, 2)):\(digits(all / 60_000 % 60, 2)):\(digits(all / 1000 % 60, 2)).\(digits(all % 1000, 3))"
    }
}
