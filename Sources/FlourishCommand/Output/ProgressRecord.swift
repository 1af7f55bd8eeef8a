import Flourish

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
