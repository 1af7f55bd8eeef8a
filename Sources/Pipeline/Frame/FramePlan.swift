import Effects
import MediaIO
import RateControl
package import Reactions

/// What one frame shows and tells: all that rendering and encoding need to know.
///
/// Planning makes it from gestures, requests and schedules; who follows it knows none of these.
package struct FramePlan: Sendable {
    /// The frame's time stamp in seconds.
    package let time: Double
    /// Tells the frame apart: how many came before it, left out or not (``FrameNumbering``).
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
    package mutating func emit(_ kind: ReactionEvent.Kind) {
        events.append(ReactionEvent(time: time, frame: id, kind: kind))
    }

    /// Notes what went wrong at this frame.
    package mutating func emit(_ warning: PipelineWarning) {
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

/// An effect with its time and place: all that drawing needs to know.
///
/// What decides (gestures, requests, schedules) and what draws meet only in a
/// list of these; nothing that draws ever looks at a hand.
package struct PlannedEffect: Sendable, Hashable {
    /// Tells the effects of a session apart; counts from 1.
    let id: Int
    package let reactionType: ReactionType
    /// The time stamp of the first frame drawn on, in seconds.
    package let startTime: Double
    /// The first instant without the effect, in seconds; moves when it is extended.
    package var endTime: Double
    /// What extended it; what is long past is forgotten.
    private(set) var renewals: [EffectRenewal] = []
    let origin: PicturePoint
    let trigger: ReactionEvent.Trigger
    let gesture: ReactionGesture?
    /// What the random choices of its look follow from, beside the session's seed.
    var seed: Int
    /// Whether somebody chose an end that is not its own: what is left then fades.
    var isCut = false
    /// The share of its pieces that is drawn.
    var detail = 1.0
    /// Bits a second that it adds to the video; `nil` where nobody knows.
    var addedBitRate: Double?

    package init(
        id: Int, reactionType: ReactionType, startTime: Double, endTime: Double, origin: PicturePoint,
        trigger: ReactionEvent.Trigger, gesture: ReactionGesture?, seed: Int? = nil
    ) {
        self.id = id
        self.reactionType = reactionType
        self.startTime = startTime
        self.endTime = endTime
        self.origin = origin
        self.trigger = trigger
        self.gesture = gesture
        self.seed = seed ?? id
    }

    /// Lets it go on until a time, with further bursts, or no longer.
    ///
    /// - Parameter duration: the effect's own, in seconds.
    mutating func end(at time: Double, duration: Double) {
        // As if it were asked for again and again.
        while endTime < time,
            renew(at: max(endTime - duration / 2, startTime + 1e-6), duration: duration, keepsAll: true)
        {}
        isCut = endTime > time
        endTime = time
    }

    /// Lets it go on as somebody asks for it again, but no shorter than it was to go on already.
    ///
    /// - Parameters:
    ///   - time: the frame with which it is asked for, in seconds.
    ///   - end: until when; for its whole duration from a new burst on if `nil`.
    ///   - duration: of the effect, in seconds.
    /// - Returns: `false` where that changes nothing.
    mutating func goOn(from time: Double, until end: Double?, duration: Double) -> Bool {
        let former = endTime
        let bursts = renew(at: time, duration: duration)
        guard let end, bursts || end > former else { return bursts }
        self.end(at: max(former, end), duration: duration)
        return true
    }

    /// Lets it go on for its whole duration from a new burst on.
    ///
    /// However often it is asked for, bursts are half a duration apart, so that no more than two or three
    /// are on screen at once.
    ///
    /// - Parameters:
    ///   - time: the frame with which somebody asked for it again, in seconds.
    ///   - duration: of the effect, in seconds.
    ///   - keepsAll: whether what is long past at that time is not forgotten, since it is still to come.
    /// - Returns: `false` where it has just begun, or another burst is to come already.
    mutating func renew(at time: Double, duration: Double, keepsAll: Bool = false) -> Bool {
        // What springs from a burst's particles may live a little longer than the duration.
        if !keepsAll { renewals.removeAll { $0.burstTime + 2 * duration < time } }
        let last = renewals.last?.burstTime ?? startTime
        guard last < time else { return false }
        let next = max(time, last + duration / 2)
        renewals.append(EffectRenewal(requestTime: time, burstTime: next, formerEnd: endTime))
        endTime = max(endTime, next + duration)
        isCut = false
        return true
    }

    /// The effect as an application sees it while it runs.
    package var state: ReactionEffectState {
        ReactionEffectState(
            id: id, reactionType: reactionType, startTime: startTime, endTime: nil, origin: origin)
    }
}
