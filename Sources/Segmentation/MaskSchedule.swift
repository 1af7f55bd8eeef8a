/// Which frames are looked at for people: a matter of their time stamps, and of whether
/// anything moves.
struct MaskSchedule: Sendable {
    /// Seconds between looks while something moves.
    static let movingInterval = 1.0 / 15
    /// Seconds between looks while nothing does.
    static let restingInterval = 1.0 / 6
    /// After a pause as long as this nothing is known of what was seen before it.
    static let memory = 0.5

    private var lastLook: Double?

    /// Whether the frame at `time` (seconds) is to be looked at.
    /// - Parameter moves: asked only where the answer matters.
    func isDue(at time: Double, moves: () -> Bool) -> Bool {
        guard let lastLook, time >= lastLook else { return true }
        // A frame a little early is nearer to the beat than the next one.
        let elapsed = time - lastLook + 0.004
        return elapsed >= Self.restingInterval || elapsed >= Self.movingInterval && moves()
    }

    /// Notes a look.
    /// - Returns: seconds since the last one; `nil` where there is none to go on from.
    mutating func looked(at time: Double) -> Double? {
        defer { lastLook = time }
        guard let lastLook, time > lastLook, time - lastLook <= Self.memory else { return nil }
        return time - lastLook
    }
}
