import Flourish
import Synchronization

/// Shows the progress of a batch on the standard error: updated lines for the recordings in progress and for the whole
/// batch, or JSON Lines. Any thread may call it.
final class BatchDisplay: Sendable {
    private struct State {
        var lastShown: ContinuousClock.Instant?
        /// The number of lines on the terminal.
        var lines = 0
        var newest: BatchProgress?
    }

    private let style: ProgressStyle
    private let state = Mutex(State())
    /// The maximum number of recordings with lines of their own.
    private static let maximumLines = 12

    /// - Parameter style: `.auto` shows lines only on a terminal.
    init(style: ProgressStyle) {
        self.style = style == .auto && !Console.isTerminal ? .none : style
    }

    /// Shows the progress, at most a few times a second.
    func show(_ progress: BatchProgress) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.newest = progress
            guard style != .none else { return }
            if let last = state.lastShown, now - last < .milliseconds(200) { return }
            state.lastShown = now
            if style == .json {
                for file in progress.running { Console.write(BatchRecord(file).line + "\n") }
                Console.write(BatchRecord(progress).line + "\n")
            } else {
                remove(&state)
                let lines = progress.running.prefix(Self.maximumLines).map(line) + [line(progress)]
                Console.write(lines.joined(separator: "\n"))
                state.lines = lines.count
            }
        }
    }

    /// Prints the result of a recording as JSON, if JSON is chosen.
    func show(_ result: BatchResult) {
        guard style == .json else { return }
        state.withLock { _ in Console.write(BatchRecord(result).line + "\n") }
    }

    /// Removes the lines, and calls a closure that prints messages.
    func interrupted(by say: () -> Void) {
        state.withLock { state in
            remove(&state)
            say()
        }
    }

    /// Ends the display.
    func finish(_ report: BatchReport?) {
        state.withLock { state in
            remove(&state)
            if style == .json, let report { Console.write(BatchRecord(report).line + "\n") }
        }
    }

    private func remove(_ state: inout State) {
        guard state.lines > 0 else { return }
        Console.write((state.lines > 1 ? "\u{1B}[\(state.lines - 1)A" : "") + "\r\u{1B}[J")
        state.lines = 0
    }

    private func line(_ file: BatchProgress.File) -> String {
        var parts: [String] = []
        if let fraction = file.session?.fraction { parts.append("\(Int(fraction * 100)) %") }
        if let session = file.session {
            if session.pass != .only { parts.append(session.pass.rawValue) }
            parts.append(Wording.count(session.frames, "frame"))
            parts.append(Wording.count(session.effects, "effect"))
        }
        return fitting("\(file.input)".printable, parts.isEmpty ? "beginning" : parts.joined(separator: "  "))
    }

    private func line(_ progress: BatchProgress) -> String {
        let left = progress.remainingSeconds.map { ", \(Wording.clock($0)) left" } ?? ""
        let failed = progress.failed > 0 ? "  \(progress.failed) failed" : ""
        let settled = progress.done + progress.skipped + progress.failed
        return fitting(
            "\(settled) of \(progress.total)",
            "\(Int(progress.fraction * 100)) %  \(Wording.clock(progress.elapsedSeconds))\(left)\(failed)")
    }

    /// Returns a line that fits the terminal's width, because wrapped lines could not be updated.
    private func fitting(_ name: String, _ text: String) -> String {
        let room = Console.width - 1
        return String("\(Wording.shortened(name, to: max(8, room - text.count - 2)))  \(text)".prefix(room))
    }
}

/// A line of a batch's `--progress json`, about one recording or the whole batch.
private struct BatchRecord: Encodable {
    // The fields of one recording.
    var input: String?
    var output: String?
    /// `running`, `done`, `skipped` or `failed`.
    var state: String?
    var pass: String?
    var frames: Int?
    var seconds: Double?
    var effects: Int?
    var reason: String?
    var bytes: Int?
    /// The duration of the session, in seconds.
    var workSeconds: Double?
    /// True if the result is from an earlier run.
    var before: Bool?
    /// True if a part of the recording could not be read.
    var damaged: Bool?

    // The fields of the whole batch.
    var files: Int?
    var filesDone: Int?
    var filesSkipped: Int?
    var filesFailed: Int?
    /// The number of recordings in progress when the batch was stopped.
    var filesBrokenOff: Int?
    var otherFiles: Int?
    var elapsedSeconds: Double?
    var remainingSeconds: Double?
    var done: Bool?
    var interrupted: Bool?

    /// The completed share, 0…1, of the recording or the batch.
    var fraction: Double?

    init(_ file: BatchProgress.File) {
        input = "\(file.input)"
        output = "\(file.output)"
        state = "running"
        guard let session = file.session else { return }
        pass = session.pass == .only ? nil : session.pass.rawValue
        frames = session.frames
        seconds = session.seconds
        effects = session.effects
        fraction = session.fraction
    }

    init(_ result: BatchResult) {
        input = "\(result.input)"
        output = result.output.map { "\($0)" }
        state = result.state.rawValue
        reason = result.reason == nil ? nil : result.reasonLine
        bytes = result.bytes
        before = result.isFromBefore ? true : nil
        guard result.state == .done else { return }
        effects = result.reactions
        workSeconds = result.workSeconds
        damaged = result.isDamaged ? true : nil
    }

    init(_ progress: BatchProgress) {
        files = progress.total
        filesDone = progress.done
        filesSkipped = progress.skipped
        filesFailed = progress.failed
        fraction = progress.fraction
        elapsedSeconds = progress.elapsedSeconds
        remainingSeconds = progress.remainingSeconds
    }

    init(_ report: BatchReport) {
        files = report.results.count
        filesDone = report.count(.done)
        filesSkipped = report.count(.skipped)
        filesFailed = report.count(.failed)
        otherFiles = report.otherFiles
        elapsedSeconds = report.seconds
        done = true
        interrupted = report.wasStopped || report.failure != nil
        if report.wasStopped { filesBrokenOff = report.results.count(where: \.isInterrupted) }
    }

    var line: String { JSONLine.encoded(self) ?? "{}" }
}
