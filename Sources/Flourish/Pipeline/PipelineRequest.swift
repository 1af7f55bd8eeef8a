/// What a run is to do.
struct PipelineRequest: Sendable {
    var input: String
    /// `nil` to tell events only: nothing is drawn, encoded or written.
    var output: String?
    var configuration: Configuration
    var resources: Resources
    var observer: SessionObserver
    /// What is shown instead of what gestures and the configuration ask for.
    var plan: ReactionPlan?
    /// Whether what is decided is written down.
    var recordsPlan = false

    /// What a quick look through the recording told; `nil` to look at all of it closely.
    var survey: RecordingSurvey?

    /// What is known before the video begins.
    var scheduled: [ScheduledRequest] {
        plan?.requests() ?? configuration.scheduledReactions.map(ScheduledRequest.init)
    }
}
