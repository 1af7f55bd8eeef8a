import Flourish
import Synchronization

/// Shows how far a run has come: a line that is written over, or JSON Lines.
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
    ///   - style: `.auto` shows a line only if a person reads along.
    ///   - input: what is worked on, which the line names.
    init(style: ProgressStyle, input: String) {
        self.style = style == .auto && !Console.isTerminal ? .none : style
        name = input == "-" ? "standard input" : String(input.split(separator: "/").last ?? "")
    }

    /// How long the video is, in seconds, as far as the run has told.
    var duration: Double? { newest?.duration }

    /// How far the run is.
    var newest: SessionProgress? { state.withLock { $0.newest } }

    /// Shows the progress, a few times a second at most.
    func show(_ progress: SessionProgress) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.newest = progress
            guard style != .none else { return }
            if let last = state.lastShown, now - last < .milliseconds(200) { return }
            state.lastShown = now
            let elapsed = elapsed
            state.pace.note(progress, at: elapsed)
            if style == .json {
                Console.write(ProgressRecord(progress, state.pace, elapsed: elapsed).line + "\n")
            } else {
                Console.write("\r\u{1B}[K" + line(progress, state.pace, elapsed))
                state.shownLine = true
            }
        }
    }

    /// Ends the display: the line is removed; programs get the last record and then what the run came to.
    ///
    /// - Parameters:
    ///   - isComplete: whether the run went over all of its input.
    ///   - report: what it came to.
    ///   - complete: adds to the last record what else there is to tell.
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

    /// Removes the line, so that what follows starts at the margin.
    func clear() {
        state.withLock { remove(&$0) }
    }

    /// Says something while the line is shown.
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

    /// Seconds since the run began.
    private var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }

    /// As long as the terminal is wide: what is wrapped could not be written over.
    private func line(_ progress: SessionProgress, _ pace: RunPace, _ elapsed: Double) -> String {
        var parts: [String] = []
        if let fraction = progress.fraction { parts.append("\(Int(fraction * 100)) %") }
        if progress.pass != .only { parts.append(progress.pass.rawValue) }
        parts.append(Wording.count(progress.frames, "frame"))
        if let rate = pace.framesPerSecond { parts.append("\(Int(rate)) fps") }
        let left = pace.remaining(after: progress.fraction).map { ", \(Wording.clock($0)) left" } ?? ""
        parts.append(Wording.clock(elapsed) + left)
        parts.append(Wording.count(progress.effects, "effect"))
        let told = parts.joined(separator: "  ")
        let room = Console.width - 1
        let short = Wording.shortened(name.printable, to: max(8, room - told.count - 2))
        return String("\(short)  \(told)".prefix(room))
    }
}

/// How fast a run is going: by its last seconds, since its passes, and what it is shown, take their own time.
struct RunPace {
    private var samples: [(time: Double, fraction: Double?, frames: Int)] = []
    private var pass: SessionProgress.Pass?

    /// For how many seconds a sample counts, and from how many on there is something to tell.
    private static let (memory, least) = (10.0, 1.0)

    /// - Parameter time: seconds since the run began.
    mutating func note(_ progress: SessionProgress, at time: Double) {
        if pass != progress.pass { (pass, samples) = (progress.pass, []) }
        samples.append((time, progress.fraction, progress.frames))
        let old = samples.firstIndex { time - $0.time <= Self.memory } ?? 0
        samples.removeFirst(old)
    }

    /// Frames a second by the clock; `nil` at the very beginning.
    var framesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return nil }
        return Double(last.frames - first.frames) / (last.time - first.time)
    }

    /// Seconds to go, by estimate; `nil` where that cannot be known yet.
    func remaining(after fraction: Double?) -> Double? {
        guard let fraction, let first = samples.first, let last = samples.last, last.time - first.time >= Self.least,
            let begin = first.fraction, let end = last.fraction, end > begin
        else { return nil }
        return (1 - fraction) * (last.time - first.time) / (end - begin)
    }
}

/// One line of `--progress json`.
struct ProgressRecord: Encodable {
    /// `looking` or `rendering`; absent where the video is gone over once.
    var pass: String?
    var frames: Int
    /// Seconds of video that lie behind.
    var seconds: Double
    /// 0…1; absent where the input does not say how long it is.
    var fraction: Double?
    var framesPerSecond: Double
    /// By the clock, since the run began.
    var elapsedSeconds: Double
    /// Estimated seconds to go.
    var remainingSeconds: Double?
    var effects: Int

    // What only the last line has.
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
