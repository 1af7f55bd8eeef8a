import Gestures
import MediaIO

/// A frame on its way through the pipeline, with what the stages found out about it.
struct PipelineFrame: ~Copyable, Sendable {
    var frame: VideoFrame
    /// Its place in the output, from 0.
    let index: Int
    /// Its time stamp in seconds.
    let time: Double
    /// What went wrong on the way to it.
    var warnings: [PipelineWarning] = []
    /// Gestures whose hold this frame completed.
    var gestures: [GestureEvent] = []
}

/// A warning that is not yet tied to a frame.
struct PipelineWarning: Sendable {
    var code: ReactionEvent.WarningCode
    var message: String
}
