/// Which frames are looked at for people: a matter of their time stamps alone.
struct MaskSchedule: Sendable {
    /// Seconds between looks.
    static let interval = 1.0 / 15
    /// After a pause as long as this nothing is known of what was seen before it.
    static let memory = 0.5

    private var lastLook: Double?

    /// Whether the frame at `time` (seconds) is to be looked at.
    func isDue(at time: Double) -> Bool {
        guard let lastLook else { return true }
        // A frame a little early is nearer to the beat than the next one.
        return time >= lastLook + Self.interval - 0.004 || time < lastLook
    }

    /// Notes a look.
    /// - Returns: seconds since the last one; `nil` where there is none to go on from.
    mutating func looked(at time: Double) -> Double? {
        defer { lastLook = time }
        guard let lastLook, time > lastLook, time - lastLook <= Self.memory else { return nil }
        return time - lastLook
    }
}
