/// The machine's clock for measuring how long things take. No result depends on it but those that
/// are about time: latency, load and time-outs.
package enum MonotonicClock {
    /// Nanoseconds since some moment in the past.
    ///
    /// `clock_gettime`
    package static var now: UInt64 {
        var time = timespec()
        // Where the system refuses it once, a time of 0 would lie before all others.
        for _ in 0..<3 where unsafe clock_gettime(CLOCK_MONOTONIC, &time) == 0 { break }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
