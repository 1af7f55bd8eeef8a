import Flourish
import Synchronization

/// Shows how far a batch has come: a line for each recording that is being worked on and one for the whole, which are
/// written over; or JSON Lines.
final class BatchDisplay: Sendable {
    private struct State {
        var lastShown: ContinuousClock.Instant?
        /// How many lines stand on the terminal.
        var lines = 0
        var newest: BatchProgress?
    }

    private let style: ProgressStyle
    private let state = Mutex(State())
    /// As many recordings have lines of their own.
    private static let mostLines = 12

    /// - Parameter style: `.auto` shows lines only if a person reads along.
    init(style: ProgressStyle) {
        self.style = style == .auto && !Console.isTerminal ? .none : style
    }

    /// Shows the progress, a few times a second at most.
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
                let lines = progress.running.prefix(Self.mostLines).map(line) + [line(progress)]
                Console.write(lines.joined(separator: "\n"))
                state.lines = lines.count
            }
        }
    }

    /// Tells a program of a recording that is done with.
    func note(_ result: BatchResult) {
        guard style == .json else { return }
        state.withLock { _ in Console.write(BatchRecord(result).line + "\n") }
    }

    /// Says something while the lines are shown.
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

    /// As long as the terminal is wide: what is wrapped could not be written over.
    private func fitting(_ name: String, _ told: String) -> String {
        let room = Console.width - 1
        return String("\(Wording.shortened(name, to: max(8, room - told.count - 2)))  \(told)".prefix(room))
    }
}
