import Flourish
import Synchronization

/// Shows how far a run has come: a line that is written over, or JSON Lines.
final class ProgressLine: Sendable {
    private struct State {
        var lastShown: ContinuousClock.Instant?
        var shownLine = false
        /// The newest progress, if it was too soon to show it.
        var pending: SessionProgress?
    }

    private let style: ProgressStyle
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// - Parameter style: `.auto` shows a line only if a person reads along.
    init(style: ProgressStyle) {
        self.style = style == .auto && !Console.isTerminal ? .none : style
    }

    /// Shows the progress, a few times a second at most.
    func show(_ progress: SessionProgress) {
        guard style != .none else { return }
        let now = ContinuousClock.now
        state.withLock { state in
            state.pending = progress
            if let last = state.lastShown, now - last < .milliseconds(200) { return }
            state.lastShown = now
            state.pending = nil
            write(progress, elapsed: seconds(now - start))
            state.shownLine = style == .auto
        }
    }

    /// Ends the display: the line is removed; programs get the last record.
    func finish() {
        clear()
        state.withLock { state in
            guard style == .json, let pending = state.pending.take() else { return }
            write(pending, elapsed: seconds(ContinuousClock.now - start))
        }
    }

    /// Removes the line, so that what follows starts at the margin.
    func clear() {
        state.withLock { state in
            if state.shownLine { Console.write("\r\u{1B}[K") }
            state.shownLine = false
        }
    }

    private func write(_ progress: SessionProgress, elapsed: Double) {
        let fraction = progress.fraction
        let rate = elapsed > 0 ? Double(progress.frames) / elapsed : 0
        let remaining = fraction.flatMap { $0 > 0.001 ? elapsed * (1 - $0) / $0 : nil }
        if style == .json {
            Console.write(
                ProgressRecord(
                    pass: progress.pass == .only ? nil : progress.pass.rawValue,
                    frames: progress.frames, seconds: progress.seconds, fraction: fraction,
                    framesPerSecond: rate, remainingSeconds: remaining, effects: progress.effects
                ).line + "\n")
            return
        }
        var parts: [String] = []
        if let fraction { parts.append("\(Int(fraction * 100)) %") }
        if progress.pass != .only { parts.append(progress.pass.rawValue) }
        parts.append("\(progress.frames) frames")
        parts.append("\(Int(rate)) fps")
        if let remaining { parts.append("ETA \(Self.clock(remaining))") }
        parts.append(progress.effects == 1 ? "1 effect" : "\(progress.effects) effects")
        Console.write("\r\u{1B}[K" + parts.joined(separator: "  "))
    }

    private func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

    /// 75 s → 1:15
    private static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded())
        let rest = whole % 60
        return "\(whole / 60):\(rest < 10 ? "0" : "")\(rest)"
    }
}
