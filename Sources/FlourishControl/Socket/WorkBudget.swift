/// Bounds how much work clients can cause in each stretch of time, so that a flood of requests
/// takes no processor time from the video.
///
/// One unit is about 20 µs of work: a line, a kilobyte or a new connection.
struct WorkBudget {
    /// Units in a stretch: 3200 a second.
    static let units = 64
    static let stretch = Duration.milliseconds(20)

    private var left = Self.units
    private var end: ContinuousClock.Instant?

    /// Whether nothing more is to be done in this stretch.
    var isSpent: Bool { left <= 0 }

    mutating func spend(_ units: Int) { left -= units }

    /// Begins anew where a stretch is over.
    ///
    /// - Returns: milliseconds to wait where the budget is spent; -1, for ever, where it is not.
    mutating func wait(now: ContinuousClock.Instant) -> Int32 {
        if let end, now < end {
            guard isSpent else { return -1 }
            return Int32((end - now) / .milliseconds(1)) + 1
        }
        left = Self.units
        end = now + Self.stretch
        return -1
    }
}
