import MediaIO
import Pipeline
import Platform
import Synchronization

/// Processes many recordings, several at once, with shared models and effects.
///
/// A journal in the output folder records the source of each output. Finished outputs are skipped, and interrupted ones
/// are restarted. An output gets its name when it is complete. Several batches may use one folder at the same time. On
/// Linux a batch makes the process ignore `SIGIO`, a signal of the file leases that it uses.
///
/// ```swift
/// let report = try await BatchRun(BatchRequest(["calls"], into: "reacted")).run()
/// if let failure = report.failure { print("ended early:", failure) }
/// print(report.count(.done), "done,", report.count(.failed), "failed")
/// ```
public final class BatchRun: Sendable {
    let request: BatchRequest
    private let interrupt = InterruptFlag()
    private let sessions = Mutex<[Int: ReactionSession]>([:])
    let shared: SharedResources
    /// The error that ended the batch early.
    private let failure = Mutex<FlourishError?>(nil)

    /// Creates a batch.
    public init(_ request: BatchRequest) {
        self.request = request
        shared = SharedResources()
    }

    /// The maximum number of recordings that are processed at once. By default it is one more than half of the cores,
    /// at least 2: a session uses all cores only while it analyses and encodes.
    public var jobs: Int { max(request.jobs ?? max(2, Machine.cores / 2 + 1), 1) }

    /// Returns the results that ``run(observer:)`` would have, without writing anything. Recordings that a run would
    /// process have the state ``BatchResult/State/open``.
    ///
    /// ```swift
    /// let report = try await BatchRun(request).preview()
    /// for result in report.results where result.state == .open { print("would process", result.input) }
    /// ```
    ///
    /// - Throws: ``FlourishError``.
    public func preview() async throws(FlourishError) -> BatchReport {
        try check()
        let result = await StageThread.run { () throws(FlourishError) -> BatchReport in
            let planner = BatchPlanner(
                request: self.request, folder: BatchFolder(reading: self.request.outputFolder),
                interrupt: self.interrupt)
            var search = BatchSearch(self.request, planner, interrupt: self.interrupt)
            search.run()
            try self.request.check(outputs: search.items.map(\.output))
            var report = search.report
            for item in search.items {
                if case .settled(let result) = self.decision(planner, item) { report.results[item.index] = result }
            }
            return report
        }
        return try result.get()
    }

    /// Runs the batch. A recording that fails does not stop the batch.
    ///
    /// ```swift
    /// let observer = BatchObserver(result: { print($0.input, $0.state, $0.reason ?? "") })
    /// let report = try await BatchRun(request).run(observer: observer)
    /// ```
    ///
    /// - Throws: ``FlourishError`` if nothing can be done at all.
    public func run(observer: BatchObserver = BatchObserver()) async throws(FlourishError) -> BatchReport {
        try check()
        let start = ContinuousClock.now
        let found = try await StageThread.run { () throws(FlourishError) in
            let folder = try BatchFolder.opened(self.request.outputFolder)
            let planner = BatchPlanner(request: self.request, folder: folder, interrupt: self.interrupt)
            var search = BatchSearch(self.request, planner, interrupt: self.interrupt)
            search.run()
            try self.request.check(outputs: search.items.map(\.output))
            return (planner: planner, report: search.report, items: search.items)
        }.get()
        let tally = BatchTally(found.report, found.items, observer)
        await withTaskCancellationHandler {
            await work(found.items, found.planner, tally, observer)
        } onCancel: {
            stop()
        }
        found.planner.folder.clear()
        var report = tally.report
        report.wasStopped = interrupt.isRaised && failure.withLock { $0 } == nil
        report.failure = failure.withLock { $0 }
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }

    /// Stops the batch. Recordings in progress are abandoned, and the next batch starts them again. Cancelling the task
    /// of ``run(observer:)`` does the same.
    ///
    /// ```swift
    /// let batch = BatchRun(request)
    /// Task {
    ///     try await Task.sleep(for: .seconds(3600))
    ///     batch.stop()
    /// }
    /// let report = try await batch.run()
    /// print(report.wasStopped ? "stopped" : "finished")
    /// ```
    public func stop() {
        interrupt.raise()
        for session in sessions.withLock({ Array($0.values) }) { session.stop() }
    }

    private func check() throws(FlourishError) {
        #if canImport(Glibc)
        // The kernel sends this signal when another process opens a leased recording for writing.
        signal(SIGIO, SIG_IGN)
        #endif
        try request.check()
    }

    // MARK: Scheduling

    /// The limit for the estimated memory of all sessions, in bytes: half of the machine's memory. One recording is
    /// always processed, however large it is.
    private static let memory = Machine.memory / 2

    private func work(
        _ items: [BatchItem], _ planner: BatchPlanner, _ tally: BatchTally, _ observer: BatchObserver
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
                    await self.process(item, planner, tally, observer)
                    return item.memory
                }
            }
        }
    }

    private func process(
        _ item: BatchItem, _ planner: BatchPlanner, _ tally: BatchTally, _ observer: BatchObserver
    ) async {
        guard planner.folder.claim(item.output) else {
            let output = planner.folder.path.appending(item.output)
            let result = BatchResult(item.input, output, .skipped, "another run is processing it")
            return tally.finish(item, result, isWork: false)
        }
        defer { planner.folder.release(item.output) }
        let decision = await StageThread.run { () throws(Never) in
            planner.folder.journal?.refresh()
            return self.decision(planner, item)
        }.get()
        switch decision {
        case .settled(let result): tally.finish(item, result, isWork: false)
        case .work(let job):
            let work = BatchWork(run: self, item: item, job: job, folder: planner.folder, tally: tally)
            let result = await work.result(observer)
            tally.finish(item, result, isWork: result.state != .skipped)
        }
    }

    private func decision(_ planner: BatchPlanner, _ item: BatchItem) -> BatchPlanner.Decision {
        do { return try planner.decision(for: item) } catch {
            let output = planner.folder.path.appending(item.output)
            return .settled(BatchResult(item.input, output, .failed, "cannot be read (\(error.message))"))
        }
    }

    // MARK: Sessions

    /// True if the batch is stopped.
    var isStopped: Bool { interrupt.isRaised }
    /// Interrupts long operations.
    var interruptFlag: InterruptFlag { interrupt }

    /// Registers a session, which stops with the batch.
    func add(_ session: ReactionSession, _ index: Int) {
        sessions.withLock { $0[index] = session }
        if interrupt.isRaised { session.stop() }
    }

    func remove(_ index: Int) { sessions.withLock { $0[index] = nil } }

    /// Ends the batch with an error. No further recording is started.
    func fail(with error: FlourishError) { failure.withLock { $0 = $0 ?? error } }
}
