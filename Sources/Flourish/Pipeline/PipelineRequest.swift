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
    /// Whether what is decided is written down, and what the recording's packets tell with it.
    var recordsPlan = false
    /// Whether the plan was made in this run: then no gestures are looked for again, and damage was told.
    var wasLookedThrough = false
    /// What was seen while the recording was looked through, to be told again.
    var heard: [ReactionEvent] = []
    /// Why the video is encoded as a whole, where it might have been copied in part.
    var wholeReason: String?

    /// What a quick look through the recording told; `nil` to look at all of it closely.
    var scan: RecordingScan.Findings?

    /// What is known before the video begins.
    var scheduled: [ScheduledRequest] {
        plan?.requests() ?? configuration.scheduledReactions.map(ScheduledRequest.init)
    }
}
