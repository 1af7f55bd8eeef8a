package import Synchronization

/// A POSIX thread that runs one stage of the pipeline.
///
/// Stages block in FFmpeg and in ``Channel``; a thread of Swift's cooperative pool must not block.
package struct StageThread: ~Copyable {
    private let thread: pthread_t

    /// The number of further attempts to start a thread, and the pause before each, in microseconds. Together they take
    /// one second.
    private static let attempts = 50
    private static let pause: UInt32 = 20_000

    /// True if new threads block signals: in a library, the handlers belong to the host program and run on the host's
    /// threads.
    package static let blocksSignals = Atomic(false)

    /// Starts a thread that runs `body` and then ends.
    package init(_ body: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(Body(run: body)).toOpaque()
        #if canImport(Darwin)
        var handle: pthread_t?
        #else
        var handle = pthread_t()
        #endif
        var status: Int32 = 0
        // A new thread has the mask of its creator. The signals of a thread's own faults are never blocked: their handler
        // removes unfinished outputs. libdispatch blocks SIGABRT in its threads, and from release 2.41 on, abort() of glibc
        // does not unblock it.
        var (mask, before) = (sigset_t(), sigset_t())
        unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        if Self.blocksSignals.load(ordering: .relaxed) { unsafe sigfillset(&mask) }
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP] { unsafe sigdelset(&mask, fault) }
        unsafe pthread_sigmask(SIG_SETMASK, &mask, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        for attempt in 0...Self.attempts {
            if attempt > 0 { usleep(Self.pause) }
            status = unsafe pthread_create(
                &handle, nil,
                { argument in
                    #if canImport(Darwin)
                    let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                    #else
                    let body = unsafe Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
                    #endif
                    body.run()
                    return nil
                }, box)
            // A machine that lacks threads or their resources may recover a moment later.
            if status != EAGAIN { break }
        }
        if status != 0 { TemporaryFile.removeAll() }
        precondition(status == 0, "the system refuses to start a thread (error \(status))")
        #if canImport(Darwin)
        thread = handle!
        #else
        thread = handle
        #endif
    }

    /// Runs blocking work on a separate thread and waits without blocking the calling thread.
    package static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async -> Result<Value, Failure> {
        await withCheckedContinuation { continuation in
            StageThread { continuation.resume(returning: Result(catching: body)) }.detach()
        }
    }

    /// Runs each body on a separate thread, and `work` in parallel; waits for all.
    package static func run(beside bodies: ArraySlice<@Sendable () -> Void>, _ work: () -> Void) {
        guard let body = bodies.first else { return work() }
        let thread = StageThread(body)
        run(beside: bodies.dropFirst(), work)
        thread.join()
    }

    /// Waits until the thread has ended.
    package consuming func join() {
        pthread_join(thread, nil)
    }

    /// Lets the thread end without a join.
    package consuming func detach() {
        pthread_detach(thread)
    }

    /// Lowers the calling thread's priority if threads compete for cores. Only Linux has a priority for each thread;
    /// elsewhere the call has no effect.
    package static func yieldToOthers() {
        #if canImport(Glibc)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        #endif
    }

    /// Carries a closure through `pthread_create`, which passes one pointer to the new thread.
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

/// A thread that draws some bands of a picture while its owner draws the others.
///
/// The owner can do all of the work. If no core is free, the helper may not have begun when the owner has finished. The
/// helper's job is then cancelled rather than awaited.
package final class HelperThread: Sendable {
    private let jobs = Channel<Job>(capacity: 1)
    private let ends = Channel<Bool>(capacity: 1)

    /// Work that begins at most once, on the helper.
    private final class Job: Sendable {
        private let isTaken = Atomic<Bool>(false)
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }

        /// Claims the job.
        ///
        /// - Returns: Whether the caller is the first to claim it.
        func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
    }

    /// Starts the thread, which ends when the object is released.
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

    /// Runs `work` here and `job` on the helper, in parallel. Returns when both are done, or when `work` is done and
    /// `job` has not begun.
    ///
    /// Used by one thread at a time.
    package func share(_ job: @escaping @Sendable () -> Void, beside work: () -> Void) {
        let job = Job(job)
        jobs.sendNewest(job)
        work()
        if !job.take() { _ = ends.receive() }
    }
}
