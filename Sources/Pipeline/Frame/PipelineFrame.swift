import Gestures
package import MediaIO
import RateControl
package import Reactions

/// A frame on its way through the pipeline, with what the stages found out about it.
package struct PipelineFrame: ~Copyable, Sendable {
    package var frame: VideoFrame
    /// Its time stamp in seconds.
    package let time: Double
    /// When it was decoded.
    package let arrival = ContinuousClock.now
    /// When it came out of the last stage.
    var passedAt = ContinuousClock.now
    /// What went wrong on the way to it.
    package var warnings: [PipelineWarning]
    /// Gestures whose hold this frame completed, and those whose hold it ended.
    package var findings = GestureFindings()
    /// The gesture that is being held at this frame, as far as anybody has looked.
    package var coming: ComingGesture?
    /// What it shows and tells, once it is planned.
    package var plan: FramePlan
    /// Whether nothing is to be seen, where effects are drawn alone.
    package var isEmpty = false

    /// - Parameter id: how many frames came before it.
    package init(frame: consuming VideoFrame, id: Int, time: Double, warnings: [PipelineWarning] = []) {
        self.frame = frame
        self.time = time
        self.warnings = warnings
        plan = FramePlan(time: time, id: id)
    }
}

extension PipelineFrame {
    /// How many frames wait between two stages. One is enough to keep all of them busy, since
    /// decoder and encoder have queues of their own; more would only take memory.
    static let channelCapacity = 1

    /// Notes something that happened at this frame.
    package mutating func tell(_ kind: ReactionEvent.Kind) { plan.tell(kind) }

    /// Notes what went wrong at this frame.
    package mutating func tell(_ warning: PipelineWarning) { plan.tell(warning) }

    /// The frame alone, at the end of its way.
    package consuming func takeFrame() -> VideoFrame { frame }
}

/// A warning that is not yet tied to a frame.
package struct PipelineWarning: Sendable {
    package var code: ReactionEvent.WarningCode
    package var message: String

    /// It as an event, tied to a frame by its id.
    package func event(time: Double, frame: Int) -> ReactionEvent {
        ReactionEvent(time: time, frame: frame, kind: .warning(code: code, message: message))
    }
}
