package import Synchronization

/// A POSIX thread that runs one stage of the pipeline.
///
/// Stages block in FFmpeg and in ``Channel``; a thread of the cooperative pool must not.
package struct StageThread: ~Copyable {
    private let thread: pthread_t

    /// The number of further attempts to start a thread, and the pause before each, in microseconds: a second in all.
    private static let attempts = 50
    private static let pause: UInt32 = 20_000

    /// A Boolean value that indicates whether new threads block signals: in a library the handlers are the host's, and run on
    /// its threads.
    package static let blocksSignals = Atomic(false)

    /// Starts the thread, which ends with `body`.
    package init(_ body: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(Body(run: body)).toOpaque()
        #if canImport(Darwin)
        var handle: pthread_t?
        #else
        var handle = pthread_t()
        #endif
        var status: Int32 = 0
        let isBlocking = Self.blocksSignals.load(ordering: .relaxed)
        var (all, before) = (sigset_t(), sigset_t())
        if isBlocking {
            // A new thread has the mask of its creator. A thread's own faults are not blocked: the host may report them.
            unsafe sigfillset(&all)
            for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP] { unsafe sigdelset(&all, fault) }
            unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
        }
        defer { if isBlocking { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) } }
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
            // A machine that is out of threads, or of their resources, may recover a moment later.
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

    /// Lowers the calling thread's priority if threads compete for cores. Linux has a priority for each thread;
    /// elsewhere it does nothing.
    package static func yieldToOthers() {
        #if canImport(Glibc)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        #endif
    }

    /// Passes the closure through the C call.
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

/// A thread that helps another one with work that is due now.
///
/// A job may be done by either thread. If no core is free, the helper may not have begun when the other thread is
/// ready; the job is then cancelled, and not waited for.
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

    /// Runs `work`, and `job` on the helper in parallel; returns when both are done, or `work` is and `job` has not
    /// begun.
    ///
    /// Used by one thread at a time.
    package func share(_ job: @escaping @Sendable () -> Void, beside work: () -> Void) {
        let job = Job(job)
        jobs.sendNewest(job)
        work()
        if !job.take() { _ = ends.receive() }
    }
}

/// A bounded queue between two threads, whose bound provides back-pressure: a fast sender waits for the receiver.
///
/// Elements may be noncopyable; an element given to ``send(_:)`` belongs to the channel until ``receive()`` returns it.
///
/// FFmpeg's calls block, so the threads are POSIX threads and wait on a condition variable, never on the cooperative
/// pool. A hop costs about 5 µs.
@safe
package final class Channel<Element: ~Copyable & Sendable>: @unchecked Sendable {
    // All state below is guarded by `mutex`.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let slots: UnsafeMutablePointer<Element>
    private let capacity: Int
    private var head = 0
    private var count = 0
    /// The number of senders that have not finished. At 0 no more elements follow; queued ones can still be received.
    private var senders: Int
    private var finished: Bool { senders <= 0 }
    /// A Boolean value that indicates that there is no receiver any more; sent elements are dropped.
    private var cancelled = false

    /// - Parameters:
    ///   - capacity: The maximum number of queued elements; more than 0.
    ///   - senders: The number of senders. Each of them calls ``finish()``.
    package init(capacity: Int, senders: Int = 1) {
        precondition(capacity > 0 && senders > 0)
        self.capacity = capacity
        self.senders = senders
        unsafe slots = .allocate(capacity: capacity)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(changed, nil)
    }

    deinit {
        dropAll()
        unsafe slots.deallocate()
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Waits for room and appends an element.
    ///
    /// - Returns: Whether it was accepted; `false` after ``cancel()``, when the element has been dropped and the sender
    ///   should stop.
    package func send(_ element: consuming Element) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while count == capacity && !cancelled { unsafe pthread_cond_wait(changed, mutex) }
        guard !cancelled else { return false }
        precondition(!finished, "send after finish")
        unsafe (slots + (head + count) % capacity).initialize(to: element)
        count += 1
        ProgressHeartbeat.record()
        unsafe pthread_cond_broadcast(changed)
        return true
    }

    /// Appends an element like ``send(_:)``, if another thread may finish the channel meanwhile: returns `false` then,
    /// too.
    package func sendUnlessFinished(_ element: consuming Element) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while count == capacity && !cancelled && !finished { unsafe pthread_cond_wait(changed, mutex) }
        guard !cancelled, !finished else { return false }
        unsafe (slots + (head + count) % capacity).initialize(to: element)
        count += 1
        ProgressHeartbeat.record()
        unsafe pthread_cond_broadcast(changed)
        return true
    }

    /// Appends an element without waiting; if there is no room, the oldest one is dropped.
    package func sendNewest(_ element: consuming Element) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        guard !cancelled, !finished else { return }
        if count == capacity {
            unsafe (slots + head).deinitialize(count: 1)
            head = (head + 1) % capacity
            count -= 1
        }
        unsafe (slots + (head + count) % capacity).initialize(to: element)
        count += 1
        unsafe pthread_cond_broadcast(changed)
    }

    /// Waits for an element and dequeues it.
    ///
    /// - Returns: `nil` when all senders have called ``finish()`` and the queue is empty, and after ``cancel()``.
    package func receive() -> Element? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while count == 0 && !finished && !cancelled { unsafe pthread_cond_wait(changed, mutex) }
        guard count > 0 else { return nil }
        let element = unsafe (slots + head).move()
        head = (head + 1) % capacity
        count -= 1
        ProgressHeartbeat.record()
        unsafe pthread_cond_broadcast(changed)
        return element
    }

    /// Signals that the caller sends nothing more.
    package func finish() {
        unsafe pthread_mutex_lock(mutex)
        senders -= 1
        unsafe pthread_cond_broadcast(changed)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Drops the queued elements and wakes all waiting threads, to abort the pipeline.
    package func cancel() {
        unsafe pthread_mutex_lock(mutex)
        cancelled = true
        dropAll()
        unsafe pthread_cond_broadcast(changed)
        unsafe pthread_mutex_unlock(mutex)
    }

    private func dropAll() {
        while count > 0 {
            unsafe (slots + head).deinitialize(count: 1)
            head = (head + 1) % capacity
            count -= 1
        }
    }
}

/// Shares a value between threads.
package final class Slot<Value: Sendable>: Sendable {
    private let held: Mutex<Value>

    package init(_ value: Value) { held = Mutex(value) }

    package var value: Value {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}
