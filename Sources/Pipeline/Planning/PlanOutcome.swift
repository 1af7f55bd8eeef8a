package import Frames
import Effects
import MediaIO
package import Reactions

/// The result of planning after the input has ended.
package struct PlanOutcome: Sendable {
    /// The number of frames received.
    package var frameCount = 0
    /// The identifier that a further frame would have.
    package var endID = 0
    /// The end of the last frame, in seconds.
    package var endTime = 0.0
    /// The seconds from the first frame to the end of the last one.
    package var seconds = 0.0
    /// The number of effects of each type that have started.
    package var effectCounts: [ReactionType: Int] = [:]
    /// The warnings of frames that were dropped at the end.
    var warnings: [PipelineWarning] = []
    /// The warnings of scheduled reactions that never became due.
    var neverCame: [PipelineWarning] = []
    /// The end events of effects that were still running.
    var ends: [ReactionEvent] = []
    /// The events of an earlier pass whose times are after the last frame.
    var replayed: [ReactionEvent] = []
    /// The first frame's time stamp in seconds.
    var firstTime = 0.0
    /// The recorder of decisions, if a plan was requested.
    var recorder: PlanRecorder?

    /// Returns the events to emit at the end.
    ///
    /// - Parameter trailing: The warnings after the last frame.
    package func events(trailing: [PipelineWarning]) -> [ReactionEvent] {
        (warnings + trailing + neverCame).map { $0.event(time: endTime, frame: endID) } + ends
            + replayed.filter(isOfNow).map { ReactionEvent(time: endTime, frame: endID, kind: $0.kind) }
    }

    /// Returns whether a replayed event is emitted even if the run was stopped. An event after the last frame is not,
    /// unless it reports a photograph, which the earlier pass has captured.
    private func isOfNow(_ event: ReactionEvent) -> Bool { event.time <= endTime + 0.001 || event.kind.isPhotograph }
}
