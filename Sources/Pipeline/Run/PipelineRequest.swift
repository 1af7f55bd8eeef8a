package import Reactions

/// What a run is to do.
package struct PipelineRequest: Sendable {
    package var input: String
    /// `nil` to tell events only: nothing is drawn, encoded or written.
    package var output: String?
    package var configuration: Configuration
    package var resources: Resources
    package var observer: SessionObserver
    /// What is shown instead of what gestures and the configuration ask for.
    package var plan: ReactionPlan?
    /// Whether what is decided is written down, and what the recording's packets tell with it.
    package var recordsPlan = false
    /// Whether the plan was made in this run: then no gestures are looked for again, and damage was told.
    package var wasLookedThrough = false
    /// Whether the photographs of the plan's reactions were taken before.
    package var wasPhotographed = false
    /// What was seen while the recording was looked through, to be told again.
    package var heard: [ReactionEvent] = []
    /// Why the video is encoded as a whole, where it might have been copied in part.
    package var wholeReason: String?

    /// What is to be told before the video begins.
    package var forewarnings: [PipelineWarning] = []

    /// What a quick look through the recording told; `nil` to look at all of it closely.
    package var scan: ScannedRecording?

    package init(
        input: String, output: String? = nil, configuration: Configuration, resources: Resources,
        observer: SessionObserver, plan: ReactionPlan? = nil, recordsPlan: Bool = false, wasLookedThrough: Bool = false,
        heard: [ReactionEvent] = [], wholeReason: String? = nil, scan: ScannedRecording? = nil
    ) {
        self.input = input
        self.output = output
        self.configuration = configuration
        self.resources = resources
        self.observer = observer
        self.plan = plan
        self.recordsPlan = recordsPlan
        self.wasLookedThrough = wasLookedThrough
        self.heard = heard
        self.wholeReason = wholeReason
        self.scan = scan
    }

    /// Whether photographs are to be taken of reactions whose times are known before the video begins.
    package var photographsSchedule: Bool {
        configuration.photos?.folder != nil && !wasLookedThrough && !wasPhotographed && !scheduled.isEmpty
    }

    /// What is known before the video begins.
    package var scheduled: [ScheduledRequest] {
        plan.map(requests) ?? configuration.scheduledReactions.map(scheduled).filter { $0.seconds >= 0 }
    }

    /// What a plan asks for in the part of the recording that is read; for a preview also what may still be seen of what
    /// began before.
    private func requests(_ plan: ReactionPlan) -> [ScheduledRequest] {
        let start = configuration.input.start
        // What this run found is on the clock of the part.
        guard start > 0, !wasLookedThrough else { return plan.requests() }
        return plan.requests().compactMap { request in
            var moved = request
            moved.seconds -= start
            return moved.seconds >= -0.0005 || configuration.isPreview ? moved : nil
        }
    }

    /// What would have been shown before the part of the recording that is read. Who looked through it has told it.
    var scheduledTooEarly: [PipelineWarning] {
        if wasLookedThrough { return [] }
        return configuration.scheduledReactions.map(scheduled).filter { $0.seconds < 0 }
            .map { $0.notShown("what is read begins later") }
    }

    /// Times are those of the recording, whatever part of it is read.
    private func scheduled(_ reaction: ScheduledReaction) -> ScheduledRequest {
        var request = ScheduledRequest(reaction)
        request.seconds -= configuration.input.start
        return request
    }
}
