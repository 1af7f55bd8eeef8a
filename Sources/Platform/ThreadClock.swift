/// The processor time of the calling thread: what work costs, whoever else is busy.
package enum ThreadClock {
    /// Milliseconds of processor time that the work takes on this thread.
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
