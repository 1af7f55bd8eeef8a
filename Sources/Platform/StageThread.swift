/// A POSIX thread that runs one stage of the pipeline.
///
/// Stages block in FFmpeg and in ``Channel``; a thread of the cooperative pool
/// must not.
package struct StageThread: ~Copyable {
    private let thread: pthread_t

    /// How often it is tried again to start, and how long that waits each time, in microseconds: a second in all.
    private static let attempts = 50
    private static let pause: UInt32 = 20_000

    /// Starts the thread; `body` is the whole of its life.
    package init(_ body: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(Body(run: body)).toOpaque()
        #if canImport(Darwin)
        var handle: pthread_t?
        #else
        var handle = pthread_t()
        #endif
        var status: Int32 = 0
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
            // A machine that is full of threads, or of what they take, may have room a moment later.
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

    /// Runs blocking work on a thread of its own and waits without blocking the caller's.
    package static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async -> Result<Value, Failure> {
        await withCheckedContinuation { continuation in
            StageThread { continuation.resume(returning: Result(catching: body)) }.detach()
        }
    }

    /// Runs each body on a thread of its own, and `work` beside them; waits for all.
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

    /// Lets the thread end by itself.
    package consuming func detach() {
        pthread_detach(thread)
    }

    /// Lets other threads go before the calling one where all want a core. Linux keeps a priority for each thread;
    /// elsewhere it does nothing.
    package static func yieldToOthers() {
        #if canImport(Glibc)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        #endif
    }

    /// Carries the closure through the C call.
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
