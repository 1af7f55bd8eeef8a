import Platform
import Synchronization

/// Counts what becomes of recordings, and how far the work is.
final class BatchTally: Sendable {
    private struct State {
        var report: BatchReport
        var progress = BatchProgress()
        /// The work of each recording that is to be done, and how much of it was.
        var work: [Int: Double] = [:]
        var finished = 0.0
        /// Of those that are being worked on, by their place in the report.
        var running: [Int: BatchProgress.File] = [:]
        var order: [Int] = []
    }

    private let state: Mutex<State>
    private let observer: BatchObserver
    private let start = ContinuousClock.now
    /// Told one at a time.
    private let telling = Mutex<Void>(())

    /// Below this share, and within these seconds, nothing can be said of the rest.
    private static let (leastShare, leastSeconds) = (0.01, 1.0)

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
        tell()
    }

    func step(_ item: BatchItem, _ session: SessionProgress) {
        state.withLock { $0.running[item.index]?.session = session }
        tell()
    }

    /// Notes what became of a recording.
    ///
    /// - Parameter isWork: whether it took its share of the time.
    func finish(_ item: BatchItem, _ result: BatchResult, isWork: Bool) {
        state.withLock { state in
            state.report.results[item.index] = result
            state.running[item.index] = nil
            state.order.removeAll { $0 == item.index }
            if isWork { state.finished += state.work[item.index] ?? 0 } else { state.work[item.index] = nil }
        }
        telling.withLock { _ in
            if result.state != .open { observer.result?(result) }
        }
        tell()
    }

    private func tell() {
        guard let told = observer.progress else { return }
        telling.withLock { _ in told(progress) }
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
            if progress.fraction >= Self.leastShare, elapsed >= Self.leastSeconds {
                progress.remainingSeconds = elapsed * (1 - progress.fraction) / progress.fraction
            }
            return progress
        }
    }
}
