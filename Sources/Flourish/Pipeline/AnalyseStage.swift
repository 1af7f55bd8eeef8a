import MediaIO

/// Looks at frames for gestures, on a schedule of their time stamps.
///
/// Input and output: the same frames, some with the gestures that they completed.
///
/// Used by one thread at a time.
final class AnalyseStage: @unchecked Sendable {
    private let analyser: HandAnalyser
    private var schedule = AnalysisSchedule()

    init(analyser: HandAnalyser) {
        self.analyser = analyser
    }

    /// Looks at one frame, if its turn has come.
    /// - Throws: `InferenceError`.
    func process(_ item: inout PipelineFrame) throws {
        guard schedule.isDue(at: item.time) else { return }
        let analysis = try analyser.analyse(item.frame, at: item.time)
        schedule.looked(
            at: item.time, sawHand: !analysis.hands.isEmpty, appointment: analysis.nextCompletion)
        item.gestures = analysis.events
    }
}
