/// Which frames are looked at for hands: a matter of their time stamps alone,
/// so that two runs over one file look at the same frames.
///
/// Most frames of a call show no hand, and looking for one is the dearest part
/// of recognition. So the schedule is slow while no hand is seen and faster
/// while one is.
struct AnalysisSchedule: Sendable {
    /// Seconds between looks while no hand is seen. A quarter of a second
    /// leaves a gesture held for one second well within its reaction time of 1.5 s.
    static let idleInterval = 0.25
    /// Seconds between looks while a hand is seen.
    static let activeInterval = 1.0 / 12

    private var lastLook: Double?
    private var interval = Self.idleInterval

    /// Whether the frame at `time` (seconds) is to be looked at.
    func isDue(at time: Double) -> Bool {
        guard let lastLook else { return true }
        // A frame a little early is nearer to the beat than the next one, and
        // time that runs backwards starts the beat anew.
        return time >= lastLook + interval - 0.004 || time < lastLook
    }

    /// Tells what the look at the frame at `time` found.
    mutating func looked(at time: Double, sawHand: Bool) {
        lastLook = time
        interval = sawHand ? Self.activeInterval : Self.idleInterval
    }
}
