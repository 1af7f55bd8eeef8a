package import Effects
package import MediaIO
package import RateControl
package import Reactions

/// The effects and events of one frame. It is the complete input of rendering and encoding.
///
/// The planner creates it from gestures, requests and schedules. The later stages do not access any of these.
package struct FramePlan: Sendable {
    /// The frame's time stamp in seconds.
    package let time: Double
    /// The identifier of the frame: the number of frames before it, dropped or not (``FrameNumbering``).
    package let id: Int
    /// The effects in progress, sorted by their start.
    package var effects: [PlannedEffect] = []
    /// The effects in progress as applications see them; nil if they are unchanged since the previous frame.
    package var newStates: [ReactionEffectState]?
    /// The rings of the gesture that is being held, if they are drawn.
    package var rings: [HoldRing] = []
    /// The effects on the whole video.
    package var video = PlannedVideoEffects()
    /// The part of the picture to which the frame is cropped before anything is drawn; `nil` for the whole picture.
    package var crop: PictureCrop?
    /// Effects that are about to start. Their sprites can be drawn in advance.
    package var coming: [ReactionType] = []
    /// The tiles of a gallery, in which they may start; empty if the picture is not a gallery.
    package var tiles: [LayoutTile] = []
    /// The appearance of the effects.
    package var appearance = EffectAppearance()
    /// The demands on the encoder of the effects in progress, and of the effects that are known to start soon.
    package var demands: [EffectDemand] = []
    /// Parts of the picture that the encoder must encode at higher quality.
    package var regions: [QualityRegion] = []
    /// The minimum duration of the frame in seconds, if later frames are dropped.
    package var minimumDuration: Double?
    /// The events to emit about the frame, in order. The last stage that adds events emits them, so the order does not
    /// depend on the speed of threads.
    package var events: [ReactionEvent] = []
    /// The answers to clients that requested effects.
    package var answers: [RequestAnswer] = []

    /// True if the frame's picture changes.
    package var drawsOnFrame: Bool { !effects.isEmpty || !rings.isEmpty || !video.isOff || crop != nil }

    /// Records an event at this frame.
    package mutating func emit(_ kind: ReactionEvent.Kind) {
        events.append(ReactionEvent(time: time, frame: id, kind: kind))
    }

    /// Answers the clients that made a request.
    package mutating func answer(_ request: EffectRequest, _ outcome: EffectReply.Outcome, id: Int? = nil) {
        if request.tickets.isEmpty { return }
        answers.append(RequestAnswer(tickets: request.tickets, outcome: outcome, id: id))
    }

    /// Records the warnings at this frame.
    package mutating func emit(_ warning: PipelineWarning) {
        events.append(warning.event(time: time, frame: id))
    }
}

/// The appearance of all effects at a frame.
package struct EffectAppearance: Sendable, Hashable {
    /// The style that the user has chosen.
    package var style = ReactionStyle()
    /// The share of each effect's pieces that is drawn, 0…1. It is multiplied by the effect's own share.
    package var detail = 1.0
    /// The factor by which the interval of person segmentation is longer than usual, 1…2.
    package var maskIntervalScale = 1.0
}

/// The effects on the whole video at a frame, and the tiles to which they apply separately.
package struct PlannedVideoEffects: Sendable, Hashable {
    package var effects = VideoEffects()
    /// The tiles of a gallery; empty if the effects apply to the whole picture.
    package var tiles: [LayoutTile] = []
    /// The hands that were seen in the last analysis, which count as parts of people.
    package var hands: [SeenHand] = []

    /// True if nothing is drawn. Auto framing crops the picture before.
    package var isOff: Bool { !effects.segmentsPeople }
}

/// An effect with its time and place. It is the complete input of drawing.
///
/// Planning passes only a list of these values to drawing, so drawing does not depend on gestures, requests or
/// schedules.
package struct PlannedEffect: Sendable, Hashable {
    /// The identifier of the effect within the session; counts from 1.
    package let id: Int
    package let reactionType: ReactionType
    /// The time stamp of the first frame drawn on, in seconds.
    package let startTime: Double
    /// The first instant without the effect, in seconds. It changes when the effect is extended.
    package var endTime: Double
    /// The renewals (further bursts) that extended the effect. Renewals long past are removed.
    package private(set) var renewals: [EffectRenewal] = []
    /// The place in the whole picture. It moves with the tile.
    package private(set) var origin: PicturePoint
    /// The place in the cropped picture in which the effect started; `nil` if the picture was not cropped.
    package var placeInCrop: PicturePoint?
    package let trigger: ReactionEvent.Trigger
    package let gesture: ReactionGesture?
    /// The seed of its random choices, in addition to the session's seed.
    package var seed: Int
    /// True if the caller chose an end that differs from the effect's own end. In that case the remaining particles
    /// fade.
    package var isCut = false
    /// The share of the effect's pieces that is drawn.
    package var detail = 1.0
    /// The bits a second that the effect adds to the video; `nil` if unknown.
    package var addedBitRate: Double?
    /// The tile in which the effect is drawn; `nil` for the whole picture.
    package private(set) var tile: LayoutTile?
    /// The heads at this frame from which the effect moves aside, in fractions of the tile or of the whole picture.
    package var heads: [EffectHead] = []

    package init(
        id: Int, reactionType: ReactionType, startTime: Double, endTime: Double, origin: PicturePoint,
        trigger: ReactionEvent.Trigger, gesture: ReactionGesture?, seed: Int? = nil,
        tile: LayoutTile? = nil
    ) {
        self.id = id
        self.tile = tile
        self.reactionType = reactionType
        self.startTime = startTime
        self.endTime = endTime
        self.origin = origin
        self.trigger = trigger
        self.gesture = gesture
        self.seed = seed ?? id
    }

    /// The fade-out time of an effect whose tile disappeared, in seconds.
    private static let tileFade = 0.3

    /// Moves the effect with its tile from a time on. Fades it out if the tile has disappeared.
    package mutating func follow(_ tiles: [LayoutTile], at time: Double) {
        guard let tile else { return }
        guard let next = tiles.first(where: { $0.id == tile.id }) else {
            isCut = isCut || endTime > time + Self.tileFade
            endTime = min(endTime, time + Self.tileFade)
            return
        }
        origin = next.placeInPicture(tile.placeInTile(origin))
        self.tile = next
    }

    /// Extends the effect to a time, with further bursts, or ends it at that time.
    ///
    /// - Parameter duration: the effect's default duration, in seconds.
    package mutating func end(at time: Double, duration: Double) {
        // Renews the effect as repeated requests would, until it lasts long enough.
        while endTime < time,
            renew(at: max(endTime - duration / 2, startTime + 1e-6), duration: duration, keepsAll: true)
        {}
        isCut = endTime > time
        endTime = time
    }

    /// Continues the effect on a further request, but never shortens it.
    ///
    /// - Parameters:
    ///   - time: The time of the frame with which it is requested, in seconds.
    ///   - end: The time until which the effect continues; if `nil`, it continues for its whole duration after a new
    ///     burst.
    ///   - duration: The duration of the effect, in seconds.
    /// - Returns: `false` if nothing changes.
    package mutating func goOn(from time: Double, until end: Double?, duration: Double) -> Bool {
        let former = endTime
        let bursts = renew(at: time, duration: duration)
        guard let end, bursts || end > former else { return bursts }
        self.end(at: max(former, end), duration: duration)
        return true
    }

    /// Continues the effect for its whole duration after a new burst.
    ///
    /// Bursts are at least half a duration apart, whatever the number of requests is. So at most two or three are on
    /// screen at once.
    ///
    /// - Parameters:
    ///   - time: The time of the frame with the new request, in seconds.
    ///   - duration: The duration of the effect, in seconds.
    ///   - keepsAll: Whether renewals long past at that time are kept, because that time is in the future.
    /// - Returns: `false` if the effect has just begun, or another burst is already scheduled.
    mutating func renew(at time: Double, duration: Double, keepsAll: Bool = false) -> Bool {
        // Secondary particles of a burst may live a little longer than the duration.
        if !keepsAll { renewals.removeAll { $0.burstTime + 2 * duration < time } }
        let last = renewals.last?.burstTime ?? startTime
        guard last < time else { return false }
        let next = max(time, last + duration / 2)
        renewals.append(EffectRenewal(requestTime: time, burstTime: next, formerEnd: endTime))
        endTime = max(endTime, next + duration)
        isCut = false
        return true
    }

    /// The effect as an application sees it while the effect runs.
    package var state: ReactionEffectState {
        ReactionEffectState(
            id: id, reactionType: reactionType, startTime: startTime, endTime: nil, origin: origin,
            tile: tile)
    }
}
