package import MediaIO
import Vision

/// Analyses the frames of a video, or of a tile, that are due. It owns a schedule, the detector of scene changes, and
/// an analyser.
///
/// Used by one thread at a time.
package struct DetectionScheduler {
    package let analyser: HandAnalyser
    private let purpose: AnalysisSchedule.Purpose
    private var schedule: AnalysisSchedule
    private var scene = SceneChangeDetector()

    /// - Parameter intervals: the intervals that are analysed, with hands in pixels of the analysed picture; `nil` for
    ///   everything.
    package init(
        _ analyser: HandAnalyser, purpose: AnalysisSchedule.Purpose = .watching, intervals: CandidateIntervals? = nil
    ) {
        self.analyser = analyser
        self.purpose = purpose
        schedule = AnalysisSchedule(hold: analyser.hold, purpose: purpose, intervals: intervals)
    }

    /// The intervals that are analysed; `nil` for everything.
    package var intervals: CandidateIntervals? {
        get { schedule.intervals }
        set { schedule.intervals = newValue }
    }

    /// Returns whether a time, in seconds, is in one of the intervals that are analysed.
    package func isWatching(at time: Double) -> Bool { schedule.isWatching(at: time) }

    /// The factor by which the interval between analyses is longer than usual.
    package var intervalScale: Double {
        get { schedule.intervalScale }
        set { schedule.intervalScale = newValue }
    }

    /// Returns whether the frame at a time, in seconds, must be analysed or checked for changes.
    package func isDue(at time: Double) -> Bool { schedule.isDue(at: time) }

    /// Analyses a frame if it is due and the scene has changed enough.
    ///
    /// - Parameter detectionState: maps the analysis to the result that determines the time of the next one.
    /// - Returns: `nil` if the frame was not analysed.
    /// - Throws: `InferenceError`.
    package mutating func analyse(
        _ frame: borrowing VideoFrame, at time: Double,
        detectionState: (HandAnalyser.Analysis) -> AnalysisSchedule.DetectionState = \.state
    ) throws -> HandAnalyser.Analysis? {
        schedule.hold = analyser.hold
        guard isDue(at: time) else { return nil }
        if let intervals {
            if schedule.isEntering(at: time) { resume() }
            analyser.expectHands(at: intervals.places(at: time))
        }
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
    package mutating func resume() {
        schedule.resume()
        scene.discardPictures()
    }

    /// Restarts detection for another view of the same person, such as a tile that moved (``HandAnalyser/restart()``).
    package mutating func restart() {
        analyser.restart()
        restartSchedule()
    }

    /// Resets all state, so that another video can follow.
    package mutating func reset() {
        analyser.reset()
        restartSchedule()
    }

    private mutating func restartSchedule() {
        schedule = AnalysisSchedule(hold: analyser.hold, purpose: purpose, intervals: intervals)
        scene = SceneChangeDetector()
    }
}
