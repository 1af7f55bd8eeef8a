import MediaIO

/// Looks at the frames of a video whose turn it is: the one place where a schedule and an analyser meet.
///
/// Used by one thread at a time.
struct ScheduledLooks {
    let analyser: HandAnalyser
    private var schedule = AnalysisSchedule()

    init(_ analyser: HandAnalyser) { self.analyser = analyser }

    /// By how much looks are further apart than usual.
    var stretch: Double {
        get { schedule.stretch }
        set { schedule.stretch = newValue }
    }

    /// Whether the frame at a time, in seconds, is to be looked at.
    func isDue(at time: Double) -> Bool { schedule.isDue(at: time) }

    /// Looks at a frame, if its turn has come.
    ///
    /// - Parameter attention: says of what was seen how soon to look again.
    /// - Returns: `nil` where it was not looked at.
    /// - Throws: `InferenceError`.
    mutating func look(
        at frame: borrowing VideoFrame, time: Double,
        attention: (HandAnalyser.Analysis) -> AnalysisSchedule.Sight = \.sight
    ) throws -> HandAnalyser.Analysis? {
        guard isDue(at: time) else { return nil }
        let analysis = try analyser.analyse(frame, at: time)
        schedule.looked(at: time, saw: attention(analysis), appointment: analysis.nextCompletion)
        return analysis
    }

    /// Forgets what was seen, so that another video can follow.
    mutating func reset() {
        analyser.reset()
        schedule = AnalysisSchedule()
    }
}
