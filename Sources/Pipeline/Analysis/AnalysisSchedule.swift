import HandPose
package import MediaIO

/// Chooses the frames of a video in which hands are detected, by their time stamps and by earlier results, so that two runs
/// over one file analyse the same frames.
///
/// Most frames of a call show no hand, and detection is the most expensive part of recognition. So the schedule is slow while
/// no hand is seen, faster while one is, and fastest while a hand may be making a gesture. While no hand is seen, cheap checks
/// for changes of the scene decide whether a frame is analysed, up to a maximum interval.
package struct AnalysisSchedule: Sendable {
    /// The part of an analysis result that determines the time of the next analysis.
    package enum DetectionState: Sendable, Hashable {
        case nothing
        /// Hands that are not near a gesture.
        case hands
        /// A hand that makes a gesture, or nearly, or made one a moment ago.
        case gesture

        /// The time until the next analysis, in seconds.
        ///
        /// A hold is counted from halfway between two analyses, so that its error is at most half of this and a frame. With
        /// longer intervals, tracking loses a hand that moves.
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

    /// Returns the time, in seconds, for which an analysis may be postponed while the scene change does not exceed this
    /// one. It is at most three quarters of a hold, so that the hold is not missed. Scanning only has to detect a
    /// gesture once.
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
    /// The number of analyses that follow without delay on the first one after a change. An analysis that detects nothing uses
    /// another detection mode the next time, and there are three modes.
    private static let followUps = 3

    /// The factor by which the interval between analyses is longer than usual.
    var intervalScale = 1.0
    /// The longest time between analyses that detect nothing, in seconds, unless the scene has not changed.
    private let longestWait: Double
    private var lastAnalysis: Double?
    private var lastCheck: Double?
    private var interval = DetectionState.nothing.interval
    private var nextDue: Double?
    /// The time from which checks for changes are enough, since the last analysis saw no hand.
    private var calmFrom: Double?
    private var pendingAnalyses = followUps + 1
    private var isResuming = false

    private let purpose: Purpose
    /// The time that a scan waits after it saw hands, or a gesture, as shares of a hold. A gesture is analysed closely
    /// later.
    private static let shares = (hands: 0.4, gesture: 0.6)

    /// - Parameter hold: the least time for which a gesture is held, in seconds.
    init(hold: Double = 1, purpose: Purpose = .watching) {
        longestWait = 0.75 * hold
        self.purpose = purpose
    }

    /// Returns the time until the next analysis after one with this result, in seconds, if no change of the scene intervenes.
    private func interval(after state: DetectionState) -> Double {
        guard purpose == .scanning, state != .nothing else { return state.interval }
        let share = state == .gesture ? Self.shares.gesture : Self.shares.hands
        return max(state.interval, share * min(longestWait / 0.75, 1))
    }

    /// Makes the next frame due, after dropped frames.
    mutating func resume() {
        nextDue = nil
        isResuming = true
    }

    /// Returns whether the frame at `time` (seconds) is to be analysed or checked for changes.
    func isDue(at time: Double) -> Bool {
        guard let lastAnalysis, !isResuming else { return true }
        if let nextDue, time >= nextDue - 0.001 { return true }
        // A frame a little early is nearer to the scheduled time than the next one. Time that runs backwards restarts the
        // schedule.
        if time < lastAnalysis { return true }
        if time >= lastAnalysis + interval * intervalScale - Self.slack, pendingAnalyses > 0 || !isCalm(at: time) {
            return true
        }
        return isCalm(at: time) && time >= (lastCheck ?? lastAnalysis) + Self.checkInterval * intervalScale - Self.slack
    }

    private static let slack = 0.004

    /// Returns whether a check for changes decides if the frame at `time` is analysed.
    func isCalm(at time: Double) -> Bool {
        guard purpose != .closeAnalysis, let calmFrom, let lastAnalysis, nextDue == nil else { return false }
        return time >= calmFrom && time >= lastAnalysis
    }

    /// Records the result of a check for changes at `time`, and returns whether the frame is to be analysed.
    mutating func recordCheck(at time: Double, change: SceneChangeDetector.Change) -> Bool {
        lastCheck = time
        guard let lastAnalysis, time >= lastAnalysis else { return true }
        if change == .arrival { pendingAnalyses = Self.followUps + 1 }
        var wait = pendingAnalyses > 0 ? DetectionState.nothing.interval : maximumDelay(with: change)
        if change != .none { wait = max(min(wait, longestWait), DetectionState.nothing.interval) }
        return time >= lastAnalysis + wait * intervalScale - Self.slack
    }

    /// Records the result of the analysis at `time`.
    ///
    /// - Parameter nextDue: a time from which the next frame is analysed in any case, such as when a hold will be complete.
    mutating func recordAnalysis(at time: Double, state: DetectionState, nextDue: Double? = nil) {
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
        self.nextDue = nextDue
        interval = interval(after: state)
    }
}

/// Analyses the frames of a video that are due. Combines a schedule, checks for changes of the scene, and an analyser.
///
/// Used by one thread at a time.
package struct DetectionScheduler {
    package let analyser: HandAnalyser
    private let purpose: AnalysisSchedule.Purpose
    private var schedule: AnalysisSchedule
    private var scene = SceneChangeDetector()

    package init(_ analyser: HandAnalyser, purpose: AnalysisSchedule.Purpose = .watching) {
        self.analyser = analyser
        self.purpose = purpose
        schedule = AnalysisSchedule(hold: analyser.hold, purpose: purpose)
    }

    /// The factor by which the interval between analyses is longer than usual.
    package var intervalScale: Double {
        get { schedule.intervalScale }
        set { schedule.intervalScale = newValue }
    }

    /// Returns whether the frame at a time, in seconds, is to be analysed or checked for changes.
    package func isDue(at time: Double) -> Bool { schedule.isDue(at: time) }

    /// Analyses a frame if it is due and the scene has changed enough.
    ///
    /// - Parameter detectionState: maps the analysis to the result that determines the time of the next one.
    /// - Returns: `nil` if it was not analysed.
    /// - Throws: `InferenceError`.
    package mutating func analyse(
        _ frame: borrowing VideoFrame, at time: Double,
        detectionState: (HandAnalyser.Analysis) -> AnalysisSchedule.DetectionState = \.state
    ) throws -> HandAnalyser.Analysis? {
        guard isDue(at: time) else { return nil }
        let change = frame.withPicture { scene.update(with: $0) }
        if schedule.isCalm(at: time) {
            guard schedule.recordCheck(at: time, change: change) else { return nil }
            if change == .arrival { analyser.expectHands() }
        }
        analyser.note(scene.changedRegions, at: time)
        let analysis = try analyser.analyse(frame, at: time)
        let state = detectionState(analysis)
        schedule.recordAnalysis(at: time, state: state, nextDue: analysis.nextCompletion)
        scene.recordDetection(foundHands: state != .nothing, isSure: analyser.isSureOfHands)
        return analysis
    }

    /// Continues after dropped frames.
    mutating func resume() {
        schedule.resume()
        scene.discardPictures()
    }

    /// Continues with another view of the same person.
    mutating func restart() {
        analyser.restart()
        restartSchedule()
    }

    /// Resets all state, so that another video can follow.
    package mutating func reset() {
        analyser.reset()
        restartSchedule()
    }

    private mutating func restartSchedule() {
        schedule = AnalysisSchedule(hold: analyser.hold, purpose: purpose)
        scene = SceneChangeDetector()
    }
}
