import MediaIO

/// What reading came to, once the input has ended.
package struct ReadOutcome: Sendable {
    /// Whether the run was stopped before the input ended.
    package var wasInterrupted = false
    /// What went wrong after the last frame.
    package var warnings: [PipelineWarning] = []
    /// What all packets tell, where somebody wanted to know.
    var survey: RecordingSurvey?
}
