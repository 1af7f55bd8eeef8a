package import Reactions

/// The switches that hold at a frame.
package struct EngineSwitches: Sendable, Hashable {
    package var reactionsEnabled: Bool
    /// A Boolean value that indicates whether gestures trigger reactions: they are on, and not snoozed.
    package var gesturesEnabled: Bool
    /// The reactions that gestures trigger instead of their built-in ones.
    package var bindings: [ReactionGesture: ReactionType]

    package init(reactionsEnabled: Bool, gesturesEnabled: Bool, bindings: [ReactionGesture: ReactionType]) {
        (self.reactionsEnabled, self.gesturesEnabled) = (reactionsEnabled, gesturesEnabled)
        self.bindings = bindings
    }

    /// The switches as configured.
    package init(_ configuration: Configuration) {
        self.init(
            reactionsEnabled: configuration.reactionsEnabled, gesturesEnabled: configuration.gesturesEnabled,
            bindings: configuration.allBindings)
    }
}

/// The requests since the last frame that stayed.
package struct EngineRequests: Sendable, Hashable {
    /// Effects that are to end.
    package struct Cancellation: Sendable, Hashable {
        package var types: Set<ReactionType> = []
        package var ids: Set<Int> = []
    }

    /// The style from this frame on.
    package var style: ReactionStyle
    /// Cancelled before any of ``effects`` was requested.
    package var cancelled = Cancellation()
    package var effects: [EffectRequest] = []
    /// The gesture that is being held. Its effect is prepared in advance.
    package var heldGesture: ReactionGesture?

    package init(style: ReactionStyle) { self.style = style }
}

/// A request for an effect, not yet tied to a frame.
package struct EffectRequest: Sendable, Hashable {
    /// A value that indicates whether its place may still be chosen so as to keep faces free.
    package enum Placement: Sendable, Hashable {
        /// The place is as it is.
        case exact
        /// The effect may also be moved away from the hand at its place.
        case besideHand
        /// The place may be moved away from faces, no farther than it must.
        case free
    }

    var reactionType: ReactionType
    /// The type's default place if `nil`.
    var origin: PicturePoint?
    var trigger: ReactionEvent.Trigger
    var gesture: ReactionGesture?
    var placement: Placement
    /// The gesture as it was seen, if one was.
    var seen: ReactionEvent.GestureDetail?
    /// The seed of its effect; the effect's number if `nil`.
    var seed: Int?
    /// The end of its effect, in seconds; after its own duration if `nil`.
    var endTime: Double?
    /// The tile in which the effect is drawn; `nil` for the whole picture.
    var tile: LayoutTile?
    /// The number of the tile that a plan names, if it names one.
    var tileID: Int?
    /// A Boolean value that indicates whether ``tile`` is final: no tile means the whole picture.
    var hasTile = false
    /// The numbers under which the clients that made the request wait for its answer.
    var tickets: [Int] = []

    /// Returns the request with the tile that it names, or that contains its place; a tile that it has already is the one of
    /// that number.
    func resolved(among tiles: [LayoutTile]) -> EffectRequest {
        var request = self
        if let tile {
            request.tile = tiles.first { $0.id == tile.id } ?? tile
        } else if hasTile {
            // It covers the whole picture.
        } else if let tileID {
            request.tile = tiles.first { $0.id == tileID }
        } else if trigger != .gesture, let origin {
            request.tile = tiles.first { $0.contains(origin) }
        }
        request.hasTile = true
        return request
    }

    /// - Parameter placement: by default, a place that is given is kept.
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
