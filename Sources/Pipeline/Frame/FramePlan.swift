import MediaIO
import RateControl
package import Reactions

/// What one frame shows and tells: all that rendering and encoding need to know.
///
/// Planning makes it from gestures, requests and schedules; who follows it knows none of these.
package struct FramePlan: Sendable {
    /// The frame's time stamp in seconds.
    package let time: Double
    /// Tells the frame apart: how many came before it, left out or not (``FrameLedger``).
    package let id: Int
    /// The effects in progress, sorted by their start.
    package var effects: [PlannedEffect] = []
    /// The effects in progress as applications see them; nil where they are those of the frame before.
    package var newStates: [ReactionEffectState]?
    /// Effects that are about to start, so that their sprites can be drawn ahead.
    package var coming: [ReactionType] = []
    /// How the effects look.
    package var look = EffectLook()
    /// What the effects in progress ask of the encoder, and those that are known to come soon.
    var demands: [EffectDemand] = []
    /// Parts of the picture that the encoder is to keep fine.
    var regions: [QualityRegion] = []
    /// The frame lasts so many seconds at least, since others after it are left out.
    var leastDuration: Double?
    /// What is to be told of it, in order. The last stage that has something to say tells it,
    /// so that the order does not depend on which thread is faster.
    package var events: [ReactionEvent] = []

    /// - Parameter id: how many frames came before it.
    init(time: Double, id: Int) {
        self.time = time
        self.id = id
    }

    /// Notes something that happened at this frame.
    package mutating func tell(_ kind: ReactionEvent.Kind) {
        events.append(ReactionEvent(time: time, frame: id, kind: kind))
    }

    /// Notes what went wrong at this frame.
    package mutating func tell(_ warning: PipelineWarning) {
        events.append(warning.event(time: time, frame: id))
    }
}

/// How effects look at a frame, whichever they are.
package struct EffectLook: Sendable, Hashable {
    /// What a person chose.
    package var style = ReactionStyle()
    /// The share of each effect's pieces that is drawn, beside what was chosen for it alone.
    package var detail = 1.0
    /// By how much looks for people are further apart than usual, 1…2.
    var maskStretch = 1.0
}
