package import Reactions

/// The switches that apply to a frame.
package struct EngineSwitches: Sendable, Hashable {
    package var reactionsEnabled: Bool
    /// True if gestures trigger reactions: they are enabled and not snoozed.
    package var gesturesEnabled: Bool
    /// The reactions that gestures trigger instead of their built-in ones.
    package var bindings: [ReactionGesture: ReactionType]
    /// True if rings beside hands are drawn on the frame.
    package var drawsHoldRings: Bool
    /// The effects on the whole video.
    package var videoEffects: VideoEffects

    package init(
        reactionsEnabled: Bool, gesturesEnabled: Bool, bindings: [ReactionGesture: ReactionType],
        drawsHoldRings: Bool = false, videoEffects: VideoEffects = VideoEffects()
    ) {
        (self.reactionsEnabled, self.gesturesEnabled) = (reactionsEnabled, gesturesEnabled)
        (self.bindings, self.drawsHoldRings) = (bindings, drawsHoldRings)
        self.videoEffects = videoEffects
    }

    /// The switches as configured.
    package init(_ configuration: Configuration) {
        self.init(
            reactionsEnabled: configuration.reactionsEnabled, gesturesEnabled: configuration.gesturesEnabled,
            bindings: configuration.allBindings, drawsHoldRings: configuration.holdRing == .output,
            videoEffects: configuration.videoEffects)
    }
}

/// The requests since the last kept frame.
package struct EngineRequests: Sendable, Hashable {
    /// Effects that are to end.
    package struct Cancellation: Sendable, Hashable {
        package var types: Set<ReactionType> = []
        package var ids: Set<Int> = []
    }

    /// The style from this frame on.
    package var style: ReactionStyle
    /// The cancellations that were made before any of ``effects`` was requested.
    package var cancelled = Cancellation()
    package var effects: [EffectRequest] = []
    /// The gesture that is being held. Its effect is prepared in advance.
    package var heldGesture: ReactionGesture?

    package init(style: ReactionStyle) { self.style = style }
}

/// A request for an effect that is not yet tied to a frame.
package struct EffectRequest: Sendable, Hashable {
    /// A value that indicates whether the place may still be changed to keep faces free.
    package enum Placement: Sendable, Hashable {
        /// The place is kept as it is.
        case exact
        /// The effect may be moved away from faces, and from the hand at its place.
        case besideHand
        /// The place may be moved away from faces, by the smallest possible distance.
        case free
    }

    package var reactionType: ReactionType
    /// The place in the upright picture; the type's default place if `nil`.
    package var origin: PicturePoint?
    package var trigger: ReactionEvent.Trigger
    package var gesture: ReactionGesture?
    package var placement: Placement
    /// The gesture as it was detected, if any.
    package var seen: ReactionEvent.GestureDetail?
    /// The seed of the effect; the effect's number if `nil`.
    package var seed: Int?
    /// The end of the effect, in seconds; if `nil`, the effect has its default duration.
    package var endTime: Double?
    /// The tile in which the effect is drawn; `nil` for the whole picture.
    package var tile: LayoutTile?
    /// The number of the tile that a plan names, if it names one.
    package var tileID: Int?
    /// True if ``tile`` is final. Without a tile, the effect then covers the whole picture.
    package var hasTile = false
    /// The numbers under which the clients that made the request wait for its answer.
    package var tickets: [Int] = []

    /// Returns the request with the tile that it names, or that contains its place. If the request already has a tile,
    /// it gets the current tile of that number.
    package func resolved(among tiles: [LayoutTile]) -> EffectRequest {
        var request = self
        if let tile {
            request.tile = tiles.first { $0.id == tile.id } ?? tile
        } else if hasTile {
            // The effect covers the whole picture.
        } else if let tileID {
            request.tile = tiles.first { $0.id == tileID }
        } else if trigger != .gesture, let origin {
            request.tile = tiles.first { $0.contains(origin) }
        }
        request.hasTile = true
        return request
    }

    /// - Parameter placement: the placement; by default, a given place is kept.
    package init(
        reactionType: ReactionType, origin: PicturePoint?, trigger: ReactionEvent.Trigger,
        gesture: ReactionGesture?, placement: Placement? = nil
    ) {
        self.reactionType = reactionType
        self.origin = origin
        self.trigger = trigger
        self.gesture = gesture
        self.placement = placement ?? (origin == nil ? .free : .exact)
    }
}

/// The reply to a client's request for an effect.
///
/// ```swift
/// let reply = try await session.requestEffect(for: .confetti)
/// if let id = reply.id { try session.cancelEffect(id: id) }
/// ```
public struct EffectReply: Sendable, Hashable {
    /// The result of a request.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The request started an effect.
        case started
        /// An effect of the type was in progress and continues with another burst.
        case extended
        /// An effect of the type is in progress and continues unchanged: another request of the same frame started or
        /// extended it, or its next burst is scheduled already.
        case unchanged
        /// The effect starts with the first frame at the requested time, or after it.
        case scheduled
        /// The request was cancelled before its frame.
        case cancelled
        /// No effect is shown: reactions are switched off, the run ended, or too many requests wait.
        case notShown
    }

    /// The result.
    public var outcome: Outcome
    /// The effect's number, as in its events; `nil` if no effect is in progress.
    public var id: Int?
    /// The time of the frame, in seconds on the output video's clock; for a scheduled request, the requested time.
    public var time: Double?
    /// The frame's index; `nil` if it is not known yet.
    public var frame: Int?

    package init(_ outcome: Outcome, id: Int? = nil, time: Double? = nil, frame: Int? = nil) {
        (self.outcome, self.id, self.time, self.frame) = (outcome, id, time, frame)
    }
}

/// The answer to the requests of one effect at a frame.
package struct RequestAnswer: Sendable, Hashable {
    package var tickets: [Int]
    package var outcome: EffectReply.Outcome
    package var id: Int?
}
