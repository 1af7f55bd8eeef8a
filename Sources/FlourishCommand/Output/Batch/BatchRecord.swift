import Flourish

/// One line of a batch's `--progress json`: of a recording, or of the whole.
struct BatchRecord: Encodable {
    // Of a recording.
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
    /// Seconds by the clock that it took.
    var workSeconds: Double?
    /// Whether it was done, or failed, in an earlier run.
    var before: Bool?

    // Of the whole.
    var files: Int?
    var filesDone: Int?
    var filesSkipped: Int?
    var filesFailed: Int?
    /// How many were under way when it was stopped.
    var filesBrokenOff: Int?
    var otherFiles: Int?
    var elapsedSeconds: Double?
    var remainingSeconds: Double?
    var done: Bool?
    var interrupted: Bool?

    /// 0…1, of the one or the other.
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
        reason = result.reason == nil ? nil : BatchTable.reason(result)
        bytes = result.bytes
        before = result.isFromBefore ? true : nil
        guard result.state == .done else { return }
        effects = result.reactions
        workSeconds = result.workSeconds
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
        if report.wasStopped { filesBrokenOff = report.results.count(where: \.isBrokenOff) }
    }

    var line: String { JSONLine.encoded(self) ?? "{}" }
}
