import MediaIO
import Pipeline
import Platform
import Synchronization

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
