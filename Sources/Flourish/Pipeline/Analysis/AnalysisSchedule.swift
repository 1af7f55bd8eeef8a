/// Which frames are looked at for hands: a matter of their time stamps alone,
/// so that two runs over one file look at the same frames.
///
/// Most frames of a call show no hand, and looking for one is the dearest part
/// of recognition. So the schedule is slow while no hand is seen, faster
/// while one is, and fastest while one may be making a gesture.
struct AnalysisSchedule: Sendable {
    /// What a look saw, as far as the time of the next one depends on it.
    enum Sight: Sendable, Hashable {
        case nothing
        /// Hands that do nothing of interest.
        case hands
        /// A hand that makes a gesture, or nearly, or made one a moment ago.
        case gesture

        /// Seconds until the next look.
        ///
        /// A hold is counted from halfway between two looks, so that it is off by half of this
        /// and a frame at most. More looks while nothing is seen would cost more than 8 % of a
        /// core; fewer at a hand, and one that moves is lost.
        var interval: Double {
            switch self {
            case .nothing: 0.2
            case .hands: 0.115
            case .gesture: 1.0 / 12
            }
        }
    }

    /// By how much looks are further apart than usual.
    var stretch = 1.0
    private var lastLook: Double?
    private var interval = Sight.nothing.interval
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
    mutating func looked(at time: Double, saw sight: Sight, appointment: Double? = nil) {
        lastLook = time
        self.appointment = appointment
        interval = sight.interval
    }
}
