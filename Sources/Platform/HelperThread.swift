import Synchronization

/// A thread that takes part in work that another one has to do now.
///
/// A job may be done by one of the two alone. Where no core is free for the helper it has not even begun when the other one is
/// ready; then the job is taken back, and nobody waits for it.
package final class HelperThread: Sendable {
    private let jobs = Channel<Job>(capacity: 1)
    private let ends = Channel<Bool>(capacity: 1)

    /// Work that begins once: on the helper, or not at all.
    private final class Job: Sendable {
        private let isTaken = Atomic<Bool>(false)
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }

        /// Says whether the caller is the first who asks.
        func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
    }

    /// Starts the thread. It ends with the object.
    package init() {
        StageThread { [jobs, ends] in
            while let job = jobs.receive() {
                guard job.take() else { continue }
                job.run()
                guard ends.send(true) else { return }
            }
        }.detach()
    }

    deinit {
        jobs.cancel()
        ends.cancel()
    }

    /// Does `work`, and meanwhile `job` on the helper; returns when both are done, or `work` is and `job` has not begun.
    ///
    /// Used by one thread at a time.
    package func share(_ job: @escaping @Sendable () -> Void, beside work: () -> Void) {
        let job = Job(job)
        jobs.sendNewest(job)
        work()
        if !job.take() { _ = ends.receive() }
    }
}
