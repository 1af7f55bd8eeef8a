import Synchronization

/// The machine's clock, for measuring latency, load and time-outs. Output depends on this clock only in live runs.
package enum MonotonicClock {
    /// Nanoseconds since an arbitrary moment in the past.
    ///
    /// `clock_gettime`
    package static var now: UInt64 {
        var time = timespec()
        // Repeats a call that failed. A time of 0 would lie before all others, and durations would be wrong.
        for _ in 0..<3 where unsafe clock_gettime(CLOCK_MONOTONIC, &time) == 0 { break }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The time of ``now`` in seconds.
    package static var seconds: Double { Double(now) / 1e9 }
}

/// The processor time of the calling thread, which measures work independently of other load.
package enum ThreadClock {
    /// Returns the processor time of a closure on this thread, in milliseconds.
    package static func milliseconds(_ work: () throws -> Void) rethrows -> Double {
        let start = now()
        try work()
        return (now() - start) * 1000
    }

    private static func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

/// The time of the last progress in this process: a frame or a packet between stages, or bytes into a file.
///
/// A process that is asked to end waits for unfinished work only while there is progress, because a library call on
/// hostile data may never return.
package enum ProgressHeartbeat {
    private static let last = Atomic<UInt64>(0)
    private static let lately = Atomic<UInt64>(0)

    /// Records progress.
    package static func record() { last.store(MonotonicClock.now, ordering: .relaxed) }

    /// Records progress, and the duration in nanoseconds of one step, such as encoding a frame. A long duration decays
    /// over the following steps, since a single long step may be caused by a start or by another program.
    package static func record(step: UInt64) {
        let former = lately.load(ordering: .relaxed)
        lately.store(max(step, former - former / 4), ordering: .relaxed)
        record()
    }

    /// Returns the time without progress in nanoseconds, counted from `moment` at the earliest.
    package static func silence(since moment: UInt64) -> UInt64 {
        let now = MonotonicClock.now
        return now - min(now, max(moment, last.load(ordering: .relaxed)))
    }

    /// The time without progress, in nanoseconds, after which work counts as stuck: twice the longest recent step, but
    /// at least 1.8 s and at most 10 s.
    package static var timeout: UInt64 {
        min(max(1_800_000_000, 2 * lately.load(ordering: .relaxed)), 10_000_000_000)
    }
}
