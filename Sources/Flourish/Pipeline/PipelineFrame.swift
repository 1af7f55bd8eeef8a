import Gestures
import MediaIO
import RateControl

/// A frame on its way through the pipeline, with what the stages found out about it.
struct PipelineFrame: ~Copyable, Sendable {
    var frame: VideoFrame
    /// Its time stamp in seconds.
    let time: Double
    /// When it was decoded.
    let arrival = ContinuousClock.now
    /// When it came out of the last stage.
    var passedAt = ContinuousClock.now
    /// What went wrong on the way to it.
    var warnings: [PipelineWarning]
    /// Gestures whose hold this frame completed, and those whose hold it ended.
    var findings = GestureFindings()
    /// The gesture that is being held at this frame, as far as anybody has looked.
    var coming: ComingGesture?
    /// What it shows and tells, once it is planned.
    var plan: FramePlan

    /// - Parameter index: how many frames came before it.
    init(frame: consuming VideoFrame, index: Int, time: Double, warnings: [PipelineWarning] = []) {
        self.frame = frame
        self.time = time
        self.warnings = warnings
        plan = FramePlan(time: time, index: index)
    }
}

extension PipelineFrame {
    /// Notes something that happened at this frame.
    mutating func tell(_ kind: ReactionEvent.Kind) { plan.tell(kind) }

    /// Notes what went wrong at this frame.
    mutating func tell(_ warning: PipelineWarning) { plan.tell(warning) }

    /// The frame alone, at the end of its way.
    consuming func takeFrame() -> VideoFrame { frame }
}

/// A warning that is not yet tied to a frame.
struct PipelineWarning: Sendable {
    var code: ReactionEvent.WarningCode
    var message: String

    /// It as an event, tied to a frame.
    func event(time: Double, frame: Int) -> ReactionEvent {
        ReactionEvent(time: time, frame: frame, kind: .warning(code: code, message: message))
    }
}
