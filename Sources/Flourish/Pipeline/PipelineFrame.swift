import Gestures
import MediaIO
import RateControl

/// A frame on its way through the pipeline, with what the stages found out about it.
struct PipelineFrame: ~Copyable, Sendable {
    var frame: VideoFrame
    /// Its place in the output, from 0.
    var index: Int
    /// Its time stamp in seconds.
    let time: Double
    /// When it was decoded.
    let arrival = ContinuousClock.now
    /// When it came out of the last stage.
    var passedAt = ContinuousClock.now
    /// What went wrong on the way to it.
    var warnings: [PipelineWarning] = []
    /// Gestures whose hold this frame completed, and those whose hold it ended.
    var findings = GestureFindings()
    /// The gesture that is being held at this frame, as far as anybody has looked.
    var coming: ComingGesture?
    /// The effects that it shows, and those that are known to come soon.
    var loads: [EffectLoad] = []
    /// What is to be told of it, in order. The last stage that has something to say tells it,
    /// so that the order does not depend on which thread is faster.
    var events: [ReactionEvent] = []
}

extension PipelineFrame {
    /// Notes something that happened at this frame.
    mutating func tell(_ kind: ReactionEvent.Kind) {
        events.append(ReactionEvent(time: time, frame: index, kind: kind))
    }

    /// Notes what went wrong at this frame.
    mutating func tell(_ warning: PipelineWarning) {
        events.append(warning.event(time: time, frame: index))
    }

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
