/// Which frames are looked at for hands: a matter of their time stamps alone,
/// so that two runs over one file look at the same frames.
///
/// Most frames of a call show no hand, and looking for one is the dearest part
/// of recognition. So the schedule is slow while no hand is seen and faster
/// while one is.
struct AnalysisSchedule: Sendable {
    /// Seconds between looks while no hand is seen. A hold is counted from halfway between two
    /// looks, so that it is off by half of this and a frame at most; more looks would cost more than
    /// 8 % of a core.
    static let idleInterval = 0.25
    /// Seconds between looks while a hand is seen.
    static let activeInterval = 1.0 / 12

    /// By how much looks are further apart than usual.
    var stretch = 1.0
    private var lastLook: Double?
    private var interval = Self.idleInterval
    private var appointment: Double?

    /// Whether the frame at `time` (seconds) is to be looked at.
    func isDue(at time: Double) -> Bool {
        guard let lastLook else { return true }
        if let appointment, time >= appointment - 0.001 { return true }
        // A frame a little early is nearer to the beat than the next one, and
        // time that runs backwards starts the beat anew.
        return time >= lastLook + interval * stretch - 0.004 || time < lastLook
    }

    /// Tells what the look at the frame at `time` found.
    ///
    /// - Parameter appointment: a time from which on the next frame is looked at whatever
    ///   the beat, such as when a hold will be complete.
    mutating func looked(at time: Double, sawHand: Bool, appointment: Double? = nil) {
        lastLook = time
        self.appointment = appointment
        interval = sawHand ? Self.activeInterval : Self.idleInterval
    }
}
