package import Reactions

/// The switches that hold at a frame.
package struct EngineSwitches: Sendable, Hashable {
    package var reactionsEnabled: Bool
    /// A Boolean value that indicates whether gestures trigger reactions: they are on, and not snoozed.
    package var gesturesEnabled: Bool

    package init(reactionsEnabled: Bool, gesturesEnabled: Bool) {
        (self.reactionsEnabled, self.gesturesEnabled) = (reactionsEnabled, gesturesEnabled)
    }

    /// The switches as configured.
    package init(_ configuration: Configuration) {
        self.init(reactionsEnabled: configuration.reactionsEnabled, gesturesEnabled: configuration.gesturesEnabled)
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
    /// The gesture that is being held, whose effect is prepared ahead.
    package var heldGesture: ReactionGesture?

    package init(style: ReactionStyle) { self.style = style }
}
