public import Reactions

/// The settings of a session that may change while it runs. Their names are the same as in ``Configuration``.
///
/// ```swift
/// try session.update { settings in
///     settings.hold = 0.6
///     settings.bindings[.victory] = .rain
/// }
/// ```
public struct LiveSettings: Sendable, Hashable {
    /// True if reactions are shown at all.
    public var reactionsEnabled: Bool
    /// True if gestures trigger reactions. Stays `false` in a session that was configured without gestures.
    public var gesturesEnabled: Bool
    /// The gestures that do not trigger anything.
    public var disabledGestures: Set<ReactionGesture>
    /// The time for which a gesture must be held, in seconds, in ``Configuration/holdRange``.
    public var hold: Double
    /// The time before a gesture can trigger the same reaction again, in seconds, in ``Configuration/cooldownRange``.
    public var cooldown: Double
    /// The sensitivity of all gestures.
    public var sensitivity: Sensitivity
    /// The sensitivity of single gestures, in place of ``sensitivity``.
    public var sensitivities: [ReactionGesture: Sensitivity]
    /// Reactions that gestures trigger instead of their built-in ones.
    public var bindings: [ReactionGesture: ReactionType]
    /// The appearance of reactions. A change also affects effects in progress.
    public var style: ReactionStyle
    /// The pictures in which a ring beside the hand fills while a gesture is held.
    public var holdRing: HoldRingVisibility
    /// The effects on the whole video: Portrait and Studio Light.
    public var videoEffects: VideoEffects
    /// The remaining seconds of the video for which gestures are ignored; `nil` if they are not ignored.
    public var gestureSnooze: Double?

    package init(_ configuration: Configuration) {
        reactionsEnabled = configuration.reactionsEnabled
        gesturesEnabled = configuration.gesturesEnabled
        disabledGestures = configuration.disabledGestures
        (hold, cooldown) = (configuration.hold, configuration.cooldown)
        (sensitivity, sensitivities) = (configuration.sensitivity, configuration.sensitivities)
        (bindings, style) = (configuration.allBindings, configuration.style)
        holdRing = configuration.holdRing
        videoEffects = configuration.videoEffects
    }

    /// Returns the reaction that a gesture triggers.
    public func reactionType(for gesture: ReactionGesture) -> ReactionType { bindings[gesture] ?? gesture.reactionType }
}

extension Configuration {
    /// Adopts the settings that concern the recognition of gestures.
    ///
    /// - Returns: `true` if a setting changed.
    package mutating func adoptRecognition(of settings: LiveSettings) -> Bool {
        guard
            (hold, cooldown, sensitivity) != (settings.hold, settings.cooldown, settings.sensitivity)
                || sensitivities != settings.sensitivities || disabledGestures != settings.disabledGestures
        else { return false }
        (hold, cooldown) = (settings.hold, settings.cooldown)
        (sensitivity, sensitivities) = (settings.sensitivity, settings.sensitivities)
        disabledGestures = settings.disabledGestures
        return true
    }
}
