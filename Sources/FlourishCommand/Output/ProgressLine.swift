import Flourish
import Synchronization

/// Shows the progress of a run on the standard error, as an updated line or as JSON Lines. Any thread may call it.
final class ProgressLine: Sendable {
    private struct State {
        var lastShown: ContinuousClock.Instant?
        var shownLine = false
        var newest: SessionProgress?
        var pace = RunPace()
    }

    private let style: ProgressStyle
    private let name: String
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// - Parameters:
    ///   - style: `.auto` shows a line only on a terminal.
    ///   - input: The path of the input, which the line names.
    init(style: ProgressStyle, input: String) {
        self.style = style == .auto && !Console.isTerminal ? .none : style
        name = input == "-" ? "standard input" : String(input.split(separator: "/").last ?? "")
    }

    /// The duration of the video, in seconds, if the run has reported it.
    var duration: Double? { newest?.duration }

    /// The progress that was reported last.
    var newest: SessionProgress? { state.withLock { $0.newest } }

    /// Shows the progress, at most a few times a second.
    func show(_ progress: SessionProgress) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.newest = progress
            guard style != .none else { return }
            if let last = state.lastShown, now - last < .milliseconds(200) { return }
            state.lastShown = now
            let elapsed = elapsed
            state.pace.record(progress, at: elapsed)
            if style == .json {
                Console.write(ProgressRecord(progress, state.pace, elapsed: elapsed).line + "\n")
            } else {
                Console.write("\r\u{1B}[K" + line(progress, state.pace, elapsed))
                state.shownLine = true
            }
        }
    }

    /// Ends the display. Removes the line, or prints the last record and then the result.
    ///
    /// - Parameters:
    ///   - isComplete: A Boolean value that indicates whether the run processed all of its input.
    ///   - report: The result of the run.
    ///   - complete: Adds fields to the last record.
    func finish(
        isComplete: Bool = true, report: RunReport? = nil, complete: (inout ProgressRecord) -> Void = { _ in }
    ) {
        state.withLock { state in
            remove(&state)
            guard style == .json, let newest = state.newest else { return }
            var record = ProgressRecord(newest, state.pace, elapsed: elapsed)
            record.remainingSeconds = 0
            if isComplete { record.fraction = 1 }
            Console.write(record.line + "\n")
            record.pass = nil
            record.done = true
            if elapsed > 0 { record.framesPerSecond = Double(report?.frames ?? record.frames) / elapsed }
            if let report { record.add(report) }
            complete(&record)
            Console.write(record.line + "\n")
        }
    }

    /// Removes the line.
    func clear() {
        state.withLock { remove(&$0) }
    }

    /// Removes the line, and calls a closure that prints messages.
    func interrupted(by say: () -> Void) {
        state.withLock { state in
            remove(&state)
            say()
        }
    }

    private func remove(_ state: inout State) {
        if state.shownLine { Console.write("\r\u{1B}[K") }
        state.shownLine = false
    }

    /// The elapsed seconds.
    private var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }

    /// Returns a line that fits the terminal's width, because a wrapped line could not be updated.
    private func line(_ progress: SessionProgress, _ pace: RunPace, _ elapsed: Double) -> String {
        var parts: [String] = []
        if let fraction = progress.fraction { parts.append("\(Int(fraction * 100)) %") }
        if progress.pass != .only { parts.append(progress.pass.rawValue) }
        parts.append(Wording.count(progress.frames, "frame"))
        if let rate = pace.framesPerSecond { parts.append("\(Int(rate)) fps") }
        let left = pace.remaining(after: progress.fraction).map { ", \(Wording.clock($0)) left" } ?? ""
        parts.append(Wording.clock(elapsed) + left)
        parts.append(Wording.count(progress.effects, "effect"))
        let text = parts.joined(separator: "  ")
        let room = Console.width - 1
        let short = Wording.shortened(name.printable, to: max(8, room - text.count - 2))
        return String("\(short)  \(text)".prefix(room))
    }
}

/// The speed of a run over the last seconds, because passes and reactions differ in speed.
struct RunPace {
    private var samples: [(time: Double, fraction: Double?, frames: Int)] = []
    private var pass: SessionProgress.Pass?

    /// The seconds for which a sample counts, and the shortest time for an estimate.
    private static let (memory, minimum) = (10.0, 1.0)

    /// - Parameter time: The elapsed seconds.
    mutating func record(_ progress: SessionProgress, at time: Double) {
        if pass != progress.pass { (pass, samples) = (progress.pass, []) }
        samples.append((time, progress.fraction, progress.frames))
        let old = samples.firstIndex { time - $0.time <= Self.memory } ?? 0
        samples.removeFirst(old)
    }

    /// The frames per second of wall-clock time; `nil` at the very beginning.
    var framesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return nil }
        return Double(last.frames - first.frames) / (last.time - first.time)
    }

    /// Returns the estimated remaining seconds; `nil` if there is no estimate yet.
    func remaining(after fraction: Double?) -> Double? {
        guard let fraction, let first = samples.first, let last = samples.last, last.time - first.time >= Self.minimum,
            let begin = first.fraction, let end = last.fraction, end > begin
        else { return nil }
        return (1 - fraction) * (last.time - first.time) / (end - begin)
    }
}

/// A line of `--progress json`.
struct ProgressRecord: Encodable {
    /// `looking` or `rendering`; absent in a run of one pass.
    var pass: String?
    var frames: Int
    /// The processed seconds of video.
    var seconds: Double
    /// The completed share, 0…1; absent if the duration of the input is unknown.
    var fraction: Double?
    var framesPerSecond: Double
    /// The elapsed wall-clock seconds.
    var elapsedSeconds: Double
    /// The estimated remaining seconds.
    var remainingSeconds: Double?
    var effects: Int

    // The fields of the last line.
    var done: Bool?
    var input: String?
    var output: String?
    var bytes: Int?
    var interrupted: Bool?
    var framesEncoded: Int?
    var secondsEncoded: Double?
    var reactions: [RunReport.Reaction]?

    init(_ progress: SessionProgress, _ pace: RunPace, elapsed: Double) {
        pass = progress.pass == .only ? nil : progress.pass.rawValue
        frames = progress.frames
        seconds = progress.seconds
        fraction = progress.fraction
        framesPerSecond = pace.framesPerSecond ?? 0
        elapsedSeconds = elapsed
        remainingSeconds = pace.remaining(after: progress.fraction)
        effects = progress.effects
    }

    mutating func add(_ report: RunReport) {
        frames = report.frames
        seconds = report.seconds
        effects = report.reactionCount
        input = report.input
        output = report.output
        bytes = report.bytes
        interrupted = report.isInterrupted
        reactions = report.reactions
        guard output != nil else { return }
        framesEncoded = report.framesEncoded
        secondsEncoded = report.secondsEncoded
    }

    var line: String { JSONLine.encoded(self) ?? "{}" }
}
