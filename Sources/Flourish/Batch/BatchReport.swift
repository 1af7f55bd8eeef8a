import MediaIO
import Pipeline
import Platform
import Synchronization

/// The result of one recording.
///
/// ```swift
/// for result in report.results where result.state == .failed {
///     print("\(result.input): \(result.reason ?? "")")
///     if result.remedy == .overwriting { print("set Configuration.overwrite") }
/// }
/// ```
public struct BatchResult: Sendable, Hashable {
    /// The state of a recording.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The output was made.
        case done
        /// Nothing had to be done, or the recording cannot be processed yet; see ``BatchResult/reason``.
        case skipped
        /// Processing failed.
        case failed
        /// The recording was not processed; in a preview, a run would process it.
        case open
    }

    /// The recording's path.
    public var input: BatchPath
    /// The output's path, if it is known.
    public var output: BatchPath?
    /// The state of the recording.
    public var state: State
    /// The reason for the state, except for ``State/done``.
    public var reason: String?
    /// The remedy for a failure, or for an output that was kept; `nil` if no option is a remedy.
    public var remedy: FlourishError.Remedy?
    /// True if processing was abandoned when the batch was stopped. The next batch starts it again.
    public var isInterrupted = false
    /// True if the result is from an earlier run.
    public var isFromBefore = false
    /// True if a part of the recording could not be read: it breaks off, or is damaged. The output has the other parts.
    public var isDamaged = false
    /// The number of shown reactions.
    public var reactions = 0
    /// The output's size, in bytes.
    public var bytes: Int?
    /// The duration of the session, in seconds.
    public var workSeconds = 0.0

    init(_ input: BatchPath, _ output: BatchPath?, _ state: State, _ reason: String? = nil) {
        self.input = input
        self.output = output
        self.state = state
        self.reason = reason
    }
}

/// The result of a batch.
public struct BatchReport: Sendable, Hashable {
    /// The results, in the order in which the recordings were found.
    public var results: [BatchResult] = []
    /// The number of files in the folders that are no recordings, or are outputs of earlier runs.
    public var otherFiles = 0
    /// True if ``BatchRun/stop()`` ended the batch.
    public var wasStopped = false
    /// The error that ended the batch early, such as a full disk; `nil` if none did.
    public var failure: FlourishError?
    /// The elapsed wall-clock time, in seconds.
    public var seconds = 0.0

    /// Returns the number of recordings in a state.
    public func count(_ state: BatchResult.State) -> Int { results.count { $0.state == state } }
}

/// The progress of a batch.
///
/// ```swift
/// let observer = BatchObserver(progress: { progress in
///     print("\(progress.done) of \(progress.total), \(Int(progress.fraction * 100)) %")
/// })
/// ```
public struct BatchProgress: Sendable, Hashable {
    /// A recording that is being processed.
    public struct File: Sendable, Hashable {
        /// The recording's path.
        public var input: BatchPath
        /// The output's path.
        public var output: BatchPath
        /// The progress of the session; `nil` at the beginning.
        public var session: SessionProgress?
    }

    /// The number of recordings.
    public var total = 0
    /// The number of recordings that are done.
    public var done = 0
    /// The number of skipped recordings.
    public var skipped = 0
    /// The number of failed recordings.
    public var failed = 0
    /// The recordings that are being processed, in the order in which they were started.
    public var running: [File] = []
    /// The completed share of the work, 0…1, weighted by duration and picture size.
    public var fraction = 0.0
    /// The elapsed wall-clock time, in seconds.
    public var elapsedSeconds = 0.0
    /// The estimated remaining seconds; `nil` if there is no estimate yet.
    public var remainingSeconds: Double?
}

/// Closures that are called on any thread, one at a time, while a batch runs.
///
/// ```swift
/// let observer = BatchObserver(event: { recording, event in
///     if case .effectStarted(let effect) = event.kind { print(recording, effect.reactionType, event.time) }
/// })
/// ```
public struct BatchObserver: Sendable {
    /// Called with the result of each recording.
    public var result: (@Sendable (BatchResult) -> Void)?
    /// Called with the progress, after each step of any session.
    public var progress: (@Sendable (BatchProgress) -> Void)?
    /// Called with each event of each recording.
    public var event: (@Sendable (BatchPath, ReactionEvent) -> Void)?

    /// Creates an observer.
    public init(
        result: (@Sendable (BatchResult) -> Void)? = nil, progress: (@Sendable (BatchProgress) -> Void)? = nil,
        event: (@Sendable (BatchPath, ReactionEvent) -> Void)? = nil
    ) {
        self.result = result
        self.progress = progress
        self.event = event
    }
}

/// Collects the results of a batch, and computes its progress. Any thread of the batch calls it.
final class BatchTally: Sendable {
    private struct State {
        var report: BatchReport
        var progress = BatchProgress()
        /// The estimated work of each recording by its index, except for those that needed none, and the finished part
        /// of the sum. See ``BatchItem/work``.
        var work: [Int: Double] = [:]
        var finished = 0.0
        /// The recordings in progress, by their index in the report.
        var running: [Int: BatchProgress.File] = [:]
        var order: [Int] = []
    }

    private let state: Mutex<State>
    private let observer: BatchObserver
    private let start = ContinuousClock.now
    /// Serialises calls of the observer.
    private let notifying = Mutex<Void>(())

    /// The minimum share of the work, 0…1, and the minimum time, in seconds, for an estimate of the remaining time.
    private static let (minimumShare, minimumSeconds) = (0.01, 1.0)

    init(_ report: BatchReport, _ items: [BatchItem], _ observer: BatchObserver) {
        var state = State(report: report)
        for item in items { state.work[item.index] = item.work }
        state.progress.total = report.results.count
        self.state = Mutex(state)
        self.observer = observer
        for result in report.results where result.state != .open { observer.result?(result) }
    }

    var report: BatchReport { state.withLock { $0.report } }

    func begin(_ item: BatchItem, output: BatchPath) {
        state.withLock { state in
            state.running[item.index] = BatchProgress.File(input: item.input, output: output)
            state.order.append(item.index)
        }
        notifyProgress()
    }

    func step(_ item: BatchItem, _ session: SessionProgress) {
        state.withLock { $0.running[item.index]?.session = session }
        notifyProgress()
    }

    /// Records the result of a recording.
    ///
    /// - Parameter isWork: `false` if the recording did not have to be processed. The recording's estimated work is
    ///   then subtracted from the total.
    func finish(_ item: BatchItem, _ result: BatchResult, isWork: Bool) {
        state.withLock { state in
            state.report.results[item.index] = result
            state.running[item.index] = nil
            state.order.removeAll { $0 == item.index }
            if isWork { state.finished += state.work[item.index] ?? 0 } else { state.work[item.index] = nil }
        }
        notifying.withLock { _ in
            if result.state != .open { observer.result?(result) }
        }
        notifyProgress()
    }

    private func notifyProgress() {
        guard let notify = observer.progress else { return }
        notifying.withLock { _ in notify(progress) }
    }

    private var progress: BatchProgress {
        state.withLock { state in
            var progress = state.progress
            progress.done = state.report.count(.done)
            progress.skipped = state.report.count(.skipped)
            progress.failed = state.report.count(.failed)
            progress.running = state.order.compactMap { state.running[$0] }
            let whole = state.work.values.reduce(0, +)
            let begun = state.running.reduce(0) {
                $0 + (state.work[$1.key] ?? 0) * ($1.value.session?.fraction ?? 0)
            }
            progress.fraction = whole > 0 ? min((state.finished + begun) / whole, 1) : 1
            let elapsed = (ContinuousClock.now - start) / .seconds(1)
            progress.elapsedSeconds = elapsed
            if progress.fraction >= Self.minimumShare, elapsed >= Self.minimumSeconds {
                progress.remainingSeconds = elapsed * (1 - progress.fraction) / progress.fraction
            }
            return progress
        }
    }
}
