import MediaIO
package import Vision

/// Chooses the frames of a video in which hands are detected; a state machine without clock or I/O in
/// ``DetectionScheduler`` and ``CoarseScanner``. The choice depends on time stamps and earlier results, so two runs
/// over one file analyse the same frames.
///
/// Most frames of a call show no hand, and detection is the most expensive part of recognition. So analyses are rare
/// while no hand is seen, more frequent while one is, and most frequent while a hand may be making a gesture. While no
/// hand is seen, cheap checks for changes of the scene may postpone an analysis, up to a maximum interval.
package struct AnalysisSchedule: Sendable {
    /// The part of an analysis result that determines the time of the next analysis.
    package enum DetectionState: Sendable, Hashable {
        case nothing
        /// Hands that are not near a gesture.
        case hands
        /// A hand that makes or almost makes a gesture, or made one a moment ago.
        case gesture

        /// The time until the next analysis, in seconds.
        ///
        /// A hold begins between two analyses and is counted from the middle, so its error is at most half of this
        /// interval plus one frame. With longer intervals, tracking loses a hand that moves.
        package var interval: Double {
            switch self {
            case .nothing: 0.2
            case .hands: 0.115
            case .gesture: 1.0 / 12
            }
        }
    }

    /// The purpose of the analyses.
    package enum Purpose: Sendable, Hashable {
        /// Detects gestures in all frames.
        case watching
        /// Finds candidate intervals, which are analysed closely afterwards.
        case scanning
        /// Detects gestures in candidate intervals.
        case closeAnalysis
    }

    /// Returns the maximum time between two analyses, in seconds, while checks find at most the given change. It is
    /// longer in a scan, which has to detect a gesture only once.
    private func maximumDelay(with change: SceneChangeDetector.Change) -> Double {
        switch change {
        case .arrival: DetectionState.nothing.interval
        case .moving: purpose == .scanning ? 0.5 : 0.35
        case .usual: purpose == .scanning ? 0.75 : 0.5
        case .none: 1
        }
    }

    /// The time between two checks for changes, in seconds.
    private static let checkInterval = 0.1
    /// The time for which the interval stays short after a hand disappeared, in seconds.
    private static let memory = 1.0
    /// The number of analyses that are not postponed, after the first analysis that follows a change. There are three
    /// detection modes, and after an analysis that detects nothing, the next one uses another mode.
    private static let followUps = 3

    /// The intervals that are analysed; `nil` for everything.
    package var intervals: CandidateIntervals? { didSet { entered = nil } }
    /// The index in ``intervals`` of the one that was analysed last.
    private var entered: Int?
    /// The factor by which the interval between analyses is longer than usual.
    package var intervalScale = 1.0
    /// The minimum time for which a gesture is held, in seconds.
    package var hold: Double
    /// The maximum time between analyses that detect nothing, in seconds: less than a hold, so that no hold is missed.
    /// It does not apply while the scene does not change.
    private var longestWait: Double { 0.75 * hold }
    private var lastAnalysis: Double?
    private var lastCheck: Double?
    private var interval = DetectionState.nothing.interval
    /// The time, in seconds, from which a frame is analysed in any case; `nil` if there is none.
    private var nextDue: Double?
    /// The time, in seconds, from which checks for changes may postpone analyses; `nil` if the last analysis saw a
    /// hand.
    private var calmFrom: Double?
    /// The number of following analyses that are not postponed.
    private var pendingAnalyses = followUps + 1
    /// True if the next frame is due because frames were dropped before it.
    private var isResuming = false

    private let purpose: Purpose
    /// The interval of a scan after an analysis that saw hands, or a gesture, as shares of a hold. The interval may be
    /// long, because gestures are analysed closely later.
    private static let shares = (hands: 0.4, gesture: 0.6)

    /// - Parameters:
    ///   - hold: The minimum time for which a gesture is held, in seconds.
    ///   - intervals: The intervals that are analysed; `nil` for everything.
    init(hold: Double = 1, purpose: Purpose = .watching, intervals: CandidateIntervals? = nil) {
        self.hold = hold
        self.purpose = purpose
        self.intervals = intervals
    }

    /// Returns whether a time, in seconds, is in one of the intervals that are analysed.
    package func isWatching(at time: Double) -> Bool { intervals.map { $0.index(at: time) != nil } ?? true }

    /// Returns whether a frame at `time` is the first one of an interval: the frames before it were not analysed.
    package func isEntering(at time: Double) -> Bool {
        guard let number = intervals?.index(at: time) else { return false }
        return number != entered
    }

    /// Returns the time from an analysis with this result to the next analysis, in seconds. If no hand is seen, checks
    /// for changes may postpone the next one.
    private func interval(after state: DetectionState) -> Double {
        guard purpose == .scanning, state != .nothing else { return state.interval }
        let share = state == .gesture ? Self.shares.gesture : Self.shares.hands
        return max(state.interval, share * min(hold, 1))
    }

    /// Makes the next frame due, after dropped frames.
    package mutating func resume() {
        nextDue = nil
        isResuming = true
    }

    /// Returns whether the frame at `time` (seconds) must be analysed or checked for changes.
    package func isDue(at time: Double) -> Bool {
        guard isWatching(at: time) else { return false }
        guard let lastAnalysis, !isResuming, !isEntering(at: time) else { return true }
        if let nextDue, time >= nextDue - 0.001 { return true }
        // Time stamps that go back restart the schedule. The slack below accepts a frame that is slightly early,
        // because it is closer to the scheduled time than the next frame.
        if time < lastAnalysis { return true }
        if time >= lastAnalysis + interval * intervalScale - Self.slack, pendingAnalyses > 0 || !isCalm(at: time) {
            return true
        }
        return isCalm(at: time) && time >= (lastCheck ?? lastAnalysis) + Self.checkInterval * intervalScale - Self.slack
    }

    /// The seconds by which a frame may be early.
    private static let slack = 0.004

    /// Returns whether a check for changes decides if the frame at `time` is analysed.
    package func isCalm(at time: Double) -> Bool {
        guard purpose != .closeAnalysis, let calmFrom, let lastAnalysis, nextDue == nil else { return false }
        return time >= calmFrom && time >= lastAnalysis
    }

    /// Records the result of a check for changes at `time`, and returns whether the frame must be analysed.
    package mutating func recordCheck(at time: Double, change: SceneChangeDetector.Change) -> Bool {
        lastCheck = time
        guard let lastAnalysis, time >= lastAnalysis else { return true }
        if change == .arrival { pendingAnalyses = Self.followUps + 1 }
        var wait = pendingAnalyses > 0 ? DetectionState.nothing.interval : maximumDelay(with: change)
        if change != .none { wait = max(min(wait, longestWait), DetectionState.nothing.interval) }
        return time >= lastAnalysis + wait * intervalScale - Self.slack
    }

    /// Records the result of the analysis at `time`.
    ///
    /// - Parameter nextDue: the time from which the next frame is analysed in any case, for example because a hold will
    ///   be complete.
    package mutating func recordAnalysis(at time: Double, state: DetectionState, nextDue: Double? = nil) {
        if let lastAnalysis, time < lastAnalysis { calmFrom = nil }
        if state == .nothing {
            pendingAnalyses = max(0, pendingAnalyses - 1)
            let isAlert = lastAnalysis != nil && purpose != .scanning
            calmFrom = calmFrom ?? (isAlert ? time + Self.memory : time)
        } else {
            pendingAnalyses = purpose == .scanning ? 1 : Self.followUps + 1
            calmFrom = nil
        }
        lastAnalysis = time
        lastCheck = nil
        isResuming = false
        entered = intervals?.index(at: time)
        self.nextDue = nextDue
        interval = interval(after: state)
    }
}
