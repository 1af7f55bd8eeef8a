public import Reactions

/// The settings of a session that may change while it runs. The names are those of ``Configuration``.
///
/// ```swift
/// try session.update { settings in
///     settings.hold = 0.6
///     settings.bindings[.victory] = .rain
/// }
/// ```
public struct SessionSettings: Sendable, Hashable {
    /// A Boolean value that indicates whether reactions are shown at all.
    public var reactionsEnabled: Bool
    /// A Boolean value that indicates whether gestures trigger reactions. Stays `false` in a session that was
    /// configured without gestures.
    public var gesturesEnabled: Bool
    /// Gestures that trigger nothing.
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
    /// The appearance of reactions; effects in progress change too.
    public var style: ReactionStyle
    /// The remaining seconds of the video in which gestures are ignored; `nil` if they are not ignored.
    public var gestureSnooze: Double?

    package init(_ configuration: Configuration) {
        reactionsEnabled = configuration.reactionsEnabled
        gesturesEnabled = configuration.gesturesEnabled
        disabledGestures = configuration.disabledGestures
        (hold, cooldown) = (configuration.hold, configuration.cooldown)
        (sensitivity, sensitivities) = (configuration.sensitivity, configuration.sensitivities)
        (bindings, style) = (configuration.allBindings, configuration.style)
    }

    /// Returns the reaction that a gesture triggers.
    public func reactionType(for gesture: ReactionGesture) -> ReactionType { bindings[gesture] ?? gesture.reactionType }
}

extension Configuration {
    /// Adopts the settings that concern the recognition of gestures.
    ///
    /// - Returns: Whether one of them changed.
    mutating func adoptRecognition(of settings: SessionSettings) -> Bool {
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

/// A time in which gestures are ignored, on the user's request.
///
/// The snooze is measured in the video's time, so that the output depends on the input and the requests alone. In live
/// video this equals real time.
package struct GestureSnooze: Sendable, Hashable {
    /// The longest, in seconds.
    package static let longest = 86_400.0

    /// The total duration, in seconds.
    package let duration: Double
    /// The first frame's time stamp, once there was one, and the newest one's, in seconds.
    private var start: Double?
    private var now = 0.0

    package init(duration: Double) { self.duration = duration }

    /// The remaining seconds.
    package var left: Double { max(duration - (start.map { now - $0 } ?? 0), 0) }

    /// Takes the next frame.
    ///
    /// - Returns: whether gestures are still ignored at this time. `false` if the time is before the beginning of the
    ///   snooze.
    mutating func goesOn(at time: Double) -> Bool {
        let start = start ?? time
        (self.start, now) = (start, time)
        return time >= start && left > 0
    }
}
