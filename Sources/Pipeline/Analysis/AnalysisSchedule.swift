import HandPose
package import MediaIO

/// Which frames of a video are looked at for hands: a matter of their time stamps and of what glances and
/// looks at them saw, so that two runs over one file look at the same frames.
///
/// Most frames of a call show no hand, and looking for one is the dearest part
/// of recognition. So the schedule is slow while no hand is seen, faster
/// while one is, and fastest while one may be making a gesture. While no hand is seen, glances say whether
/// a look is worth the while, and the time since the last look says so in any case.
package struct AnalysisSchedule: Sendable {
    /// What a look saw, as far as the time of the next one depends on it.
    package enum Sight: Sendable, Hashable {
        case nothing
        /// Hands that do nothing of interest.
        case hands
        /// A hand that makes a gesture, or nearly, or made one a moment ago.
        case gesture

        /// Seconds until the next look.
        ///
        /// A hold is counted from halfway between two looks, so that it is off by half of this
        /// and a frame at most. Fewer looks at a hand, and one that moves is lost.
        package var interval: Double {
            switch self {
            case .nothing: 0.2
            case .hands: 0.115
            case .gesture: 1.0 / 12
            }
        }
    }

    /// What looks are for.
    package enum Purpose: Sendable, Hashable {
        /// To see gestures while people go on.
        case watching
        /// To notice where somebody may make one: somebody else looks closely there.
        case scanning
        /// To see gestures where somebody is likely to make one.
        case closeLook
    }

    /// How long a look may be put off, in seconds, if glances see no more than this; and no longer than three quarters
    /// of a hold, which would be over. Who is scanning only has to meet a gesture once.
    private func patience(with change: SceneWatch.Change) -> Double {
        switch change {
        case .arrival: Sight.nothing.interval
        case .moving: purpose == .scanning ? 0.5 : 0.35
        case .usual: purpose == .scanning ? 0.75 : 0.5
        case .none: 1
        }
    }

    /// Seconds between two glances.
    private static let glanceInterval = 0.1
    /// Seconds for which a hand that has gone is looked for as before.
    private static let memory = 1.0
    /// How many looks follow without delay on one at something new: a look that finds nothing goes on to another kind
    /// of look the next time, and there are three kinds.
    private static let followUps = 3

    /// By how much looks are further apart than usual.
    var stretch = 1.0
    /// Looks that find nothing are no further apart than this, in seconds, unless nothing has changed.
    private let longestWait: Double
    private var lastLook: Double?
    private var lastGlance: Double?
    private var interval = Sight.nothing.interval
    private var appointment: Double?
    /// When the last look saw no hand, from when on glances are enough.
    private var calmFrom: Double?
    private var looksToCome = followUps + 1
    private var isResuming = false

    private let purpose: Purpose
    /// Of a hold, how long what is seen may be left alone by who is scanning: hands, and what will be looked at closely.
    private static let shares = (hands: 0.4, gesture: 0.6)

    /// - Parameter hold: how long a gesture is shown at least, in seconds.
    init(hold: Double = 1, purpose: Purpose = .watching) {
        longestWait = 0.75 * hold
        self.purpose = purpose
    }

    /// Seconds until the look that follows on one with this sight, where no glance says otherwise.
    private func interval(after sight: Sight) -> Double {
        guard purpose == .scanning, sight != .nothing else { return sight.interval }
        let share = sight == .gesture ? Self.shares.gesture : Self.shares.hands
        return max(sight.interval, share * min(longestWait / 0.75, 1))
    }

    /// Has the next frame looked at: those before it were not shown.
    mutating func resume() {
        appointment = nil
        isResuming = true
    }

    /// Whether the frame at `time` (seconds) is to be looked or glanced at.
    func isDue(at time: Double) -> Bool {
        guard let lastLook, !isResuming else { return true }
        if let appointment, time >= appointment - 0.001 { return true }
        // A frame a little early is nearer to the beat than the next one, and
        // time that runs backwards starts the beat anew.
        if time < lastLook { return true }
        if time >= lastLook + interval * stretch - Self.slack, looksToCome > 0 || !isCalm(at: time) { return true }
        return isCalm(at: time) && time >= (lastGlance ?? lastLook) + Self.glanceInterval * stretch - Self.slack
    }

    private static let slack = 0.004

    /// Whether a glance is to say if the frame at `time` is worth a look.
    func isCalm(at time: Double) -> Bool {
        guard purpose != .closeLook, let calmFrom, let lastLook, appointment == nil else { return false }
        return time >= calmFrom && time >= lastLook
    }

    /// Tells what a glance at the frame at `time` saw; says whether it is to be looked at.
    mutating func glanced(at time: Double, saw change: SceneWatch.Change) -> Bool {
        lastGlance = time
        guard let lastLook, time >= lastLook else { return true }
        if change == .arrival { looksToCome = Self.followUps + 1 }
        var wait = looksToCome > 0 ? Sight.nothing.interval : patience(with: change)
        if change != .none { wait = max(min(wait, longestWait), Sight.nothing.interval) }
        return time >= lastLook + wait * stretch - Self.slack
    }

    /// Tells what the look at the frame at `time` found.
    ///
    /// - Parameter appointment: a time from which on the next frame is looked at whatever
    ///   the beat, such as when a hold will be complete.
    mutating func looked(at time: Double, saw sight: Sight, appointment: Double? = nil) {
        if let lastLook, time < lastLook { calmFrom = nil }
        if sight == .nothing {
            looksToCome = max(0, looksToCome - 1)
            let isAlert = lastLook != nil && purpose != .scanning
            calmFrom = calmFrom ?? (isAlert ? time + Self.memory : time)
        } else {
            looksToCome = purpose == .scanning ? 1 : Self.followUps + 1
            calmFrom = nil
        }
        lastLook = time
        lastGlance = nil
        isResuming = false
        self.appointment = appointment
        interval = interval(after: sight)
    }
}

/// Looks at the frames of a video whose turn it is: the one place where a schedule, glances and an analyser meet.
///
/// Used by one thread at a time.
package struct ScheduledLooks {
    package let analyser: HandAnalyser
    private let purpose: AnalysisSchedule.Purpose
    private var schedule: AnalysisSchedule
    private var scene = SceneWatch()

    package init(_ analyser: HandAnalyser, purpose: AnalysisSchedule.Purpose = .watching) {
        self.analyser = analyser
        self.purpose = purpose
        schedule = AnalysisSchedule(hold: analyser.hold, purpose: purpose)
    }

    /// By how much looks are further apart than usual.
    package var stretch: Double {
        get { schedule.stretch }
        set { schedule.stretch = newValue }
    }

    /// Whether the frame at a time, in seconds, is to be looked at, or glanced at at least.
    package func isDue(at time: Double) -> Bool { schedule.isDue(at: time) }

    /// Looks at a frame, if its turn has come and it is worth the while.
    ///
    /// - Parameter attention: says of what was seen how soon to look again.
    /// - Returns: `nil` where it was not looked at.
    /// - Throws: `InferenceError`.
    package mutating func look(
        at frame: borrowing VideoFrame, time: Double,
        attention: (HandAnalyser.Analysis) -> AnalysisSchedule.Sight = \.sight
    ) throws -> HandAnalyser.Analysis? {
        guard isDue(at: time) else { return nil }
        let change = frame.withPicture { scene.glance(at: $0) }
        if schedule.isCalm(at: time) {
            guard schedule.glanced(at: time, saw: change) else { return nil }
            if change == .arrival { analyser.expectHands() }
        }
        analyser.note(scene.newcomers, at: time)
        let analysis = try analyser.analyse(frame, at: time)
        let sight = attention(analysis)
        schedule.looked(at: time, saw: sight, appointment: analysis.nextCompletion)
        scene.looked(foundHands: sight != .nothing, isSure: analyser.isSureOfHands)
        return analysis
    }

    /// Goes on after frames that were not shown to it.
    mutating func resume() {
        schedule.resume()
        scene.lookAway()
    }

    /// Forgets what was seen, so that another video can follow.
    package mutating func reset() {
        analyser.reset()
        schedule = AnalysisSchedule(hold: analyser.hold, purpose: purpose)
        scene = SceneWatch()
    }
}
