import MediaIO
import Pipeline
import Platform
import Synchronization

/// Many recordings, one after the other and side by side, with what they need loaded once.
///
/// What an output was made of is kept in a journal in the output folder: what is done is skipped, what was broken off is
/// begun anew, and outputs get their names when they are whole. Several batches may work in one folder at once. On Linux
/// the process ignores `SIGIO` from then on.
public final class BatchRun: Sendable {
    let request: BatchRequest
    private let interrupt = InterruptFlag()
    private let sessions = Mutex<[Int: ReactionSession]>([:])
    let shared: SharedMeans
    /// What ended the batch early.
    private let failure = Mutex<FlourishError?>(nil)

    /// A batch that has not run yet.
    public init(_ request: BatchRequest) {
        self.request = request
        shared = SharedMeans()
    }

    /// How many recordings are worked on at once: a session spreads over all cores where it looks through a recording and
    /// where it encodes, and leaves some idle in between.
    public var jobs: Int { max(request.jobs ?? max(2, Machine.cores / 2 + 1), 1) }

    /// Says what ``run(observer:)`` would do; writes nothing. What is to be done is ``BatchResult/State/open``.
    ///
    /// - Throws: ``FlourishError``.
    public func outlook() async throws(FlourishError) -> BatchReport {
        try check()
        let result = await StageThread.run { () throws(FlourishError) -> BatchReport in
            let judge = BatchJudge(
                request: self.request, folder: BatchFolder(reading: self.request.outputFolder),
                interrupt: self.interrupt)
            var search = BatchSearch(self.request, judge, interrupt: self.interrupt)
            search.run()
            try self.request.check(outputs: search.items.map(\.output))
            var report = search.report
            for item in search.items {
                if case .settled(let result) = self.verdict(judge, item) { report.results[item.index] = result }
            }
            return report
        }
        return try result.get()
    }

    /// Does the work. One failing recording stops nothing.
    ///
    /// - Throws: ``FlourishError`` where nothing can be done at all.
    public func run(observer: BatchObserver = BatchObserver()) async throws(FlourishError) -> BatchReport {
        try check()
        let start = ContinuousClock.now
        let found = try await StageThread.run { () throws(FlourishError) in
            let folder = try BatchFolder.opened(self.request.outputFolder)
            let judge = BatchJudge(request: self.request, folder: folder, interrupt: self.interrupt)
            var search = BatchSearch(self.request, judge, interrupt: self.interrupt)
            search.run()
            try self.request.check(outputs: search.items.map(\.output))
            return (judge: judge, report: search.report, items: search.items)
        }.get()
        let tally = BatchTally(found.report, found.items, observer)
        await withTaskCancellationHandler {
            await work(found.items, found.judge, tally, observer)
        } onCancel: {
            stop()
        }
        found.judge.folder.clear()
        var report = tally.report
        report.wasStopped = interrupt.isRaised && failure.withLock { $0 } == nil
        report.failure = failure.withLock { $0 }
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }

    /// Ends the batch: what is under way is given up, and done anew by the next one. Cancelling the task that runs it does
    /// the same.
    public func stop() {
        interrupt.raise()
        for session in sessions.withLock({ Array($0.values) }) { session.stop() }
    }

    private func check() throws(FlourishError) {
        #if canImport(Glibc)
        // Whoever opens a recording to write in it while it is asked for has the process told by this.
        signal(SIGIO, SIG_IGN)
        #endif
        try request.check()
    }

    // MARK: Scheduling

    /// Half of the machine's memory; one recording is worked on however large it is.
    private static let memory = Machine.memory / 2

    private func work(
        _ items: [BatchItem], _ judge: BatchJudge, _ tally: BatchTally, _ observer: BatchObserver
    ) async {
        await withTaskGroup(of: Int.self) { group in
            var running = 0, memory = 0
            for item in items {
                while running > 0, running >= jobs || memory + item.memory > Self.memory {
                    memory -= await group.next() ?? 0
                    running -= 1
                }
                if interrupt.isRaised || failure.withLock({ $0 != nil }) { break }
                running += 1
                memory += item.memory
                group.addTask {
                    await self.process(item, judge, tally, observer)
                    return item.memory
                }
            }
        }
    }

    private func process(
        _ item: BatchItem, _ judge: BatchJudge, _ tally: BatchTally, _ observer: BatchObserver
    ) async {
        guard judge.folder.claim(item.output) else {
            let output = judge.folder.path.appending(item.output)
            let result = BatchResult(item.input, output, .skipped, "another run is at work on it")
            return tally.finish(item, result, isWork: false)
        }
        defer { judge.folder.release(item.output) }
        let verdict = await StageThread.run { () throws(Never) in
            judge.folder.journal?.refresh()
            return self.verdict(judge, item)
        }.get()
        switch verdict {
        case .settled(let result): tally.finish(item, result, isWork: false)
        case .work(let order):
            let work = BatchWork(run: self, item: item, order: order, folder: judge.folder, tally: tally)
            let result = await work.result(observer)
            tally.finish(item, result, isWork: result.state != .skipped)
        }
    }

    private func verdict(_ judge: BatchJudge, _ item: BatchItem) -> BatchJudge.Verdict {
        do { return try judge.verdict(on: item) } catch {
            let output = judge.folder.path.appending(item.output)
            return .settled(BatchResult(item.input, output, .failed, "cannot be read (\(error.message))"))
        }
    }

    // MARK: Sessions

    /// Whether the batch is to end.
    var isStopped: Bool { interrupt.isRaised }
    /// Ends what takes long.
    var interruptFlag: InterruptFlag { interrupt }

    /// Has a session end with the batch.
    func add(_ session: ReactionSession, _ index: Int) {
        sessions.withLock { $0[index] = session }
        if interrupt.isRaised { session.stop() }
    }

    func remove(_ index: Int) { sessions.withLock { $0[index] = nil } }

    /// Begins nothing more.
    func give(up error: FlourishError) { failure.withLock { $0 = $0 ?? error } }
}

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
