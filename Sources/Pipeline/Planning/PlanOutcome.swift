package import Reactions

/// What planning came to, once the input has ended.
package struct PlanOutcome: Sendable {
    /// Frames that came.
    package var frameCount = 0
    /// The id that a further frame would have.
    package var endID = 0
    /// When the last frame ends, in seconds.
    package var endTime = 0.0
    /// Seconds from the first frame to the end of the last one.
    package var seconds = 0.0
    /// How many effects of each type have started.
    package var effectCounts: [ReactionType: Int] = [:]
    /// What went wrong with frames at the end that were left out.
    var warnings: [PipelineWarning] = []
    /// What is to be told of scheduled reactions that never came.
    var neverCame: [PipelineWarning] = []
    /// The ends of what still ran.
    var ends: [ReactionEvent] = []
    /// The events of an earlier pass whose times lie after the last frame's.
    var replayed: [ReactionEvent] = []
    /// The first frame's time stamp in seconds.
    var firstTime = 0.0
    /// What was decided, where somebody wants a plan.
    var recorder: PlanRecorder?

    /// What is to be told at the end.
    ///
    /// - Parameter trailing: what went wrong after the last frame.
    package func events(trailing: [PipelineWarning]) -> [ReactionEvent] {
        (warnings + trailing + neverCame).map { $0.event(time: endTime, frame: endID) } + ends
            + replayed.filter(isOfNow).map { ReactionEvent(time: endTime, frame: endID, kind: $0.kind) }
    }

    /// Whether a replayed event is emitted although the run may have been stopped: photographs were taken then.
    private func isOfNow(_ event: ReactionEvent) -> Bool { event.time <= endTime + 0.001 || event.kind.isPhotograph }
}
