import HandPose
package import MediaIO

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
