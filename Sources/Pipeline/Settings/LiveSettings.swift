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
    /// The session's configuration, with the values of live settings (``SettingKey/live``) in effect.
    package var configuration: Configuration
    /// The remaining seconds of the video for which gestures are ignored; `nil` if they are not ignored.
    public var gestureSnooze: Double?

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        self.configuration.bindings = configuration.allBindings
    }

    /// True if reactions are shown at all.
    public var reactionsEnabled: Bool {
        get { configuration.reactionsEnabled }
        set { configuration.reactionsEnabled = newValue }
    }
    /// True if gestures trigger reactions. Stays `false` in a session that was configured without gestures.
    public var gesturesEnabled: Bool {
        get { configuration.gesturesEnabled }
        set { configuration.gesturesEnabled = newValue }
    }
    /// The gestures that do not trigger anything.
    public var disabledGestures: Set<ReactionGesture> {
        get { configuration.disabledGestures }
        set { configuration.disabledGestures = newValue }
    }
    /// The time for which a gesture must be held, in seconds, in ``Configuration/holdRange``.
    public var hold: Double {
        get { configuration.hold }
        set { configuration.hold = newValue }
    }
    /// The time before a gesture can trigger the same reaction again, in seconds, in ``Configuration/cooldownRange``.
    public var cooldown: Double {
        get { configuration.cooldown }
        set { configuration.cooldown = newValue }
    }
    /// The sensitivity of all gestures.
    public var sensitivity: Sensitivity {
        get { configuration.sensitivity }
        set { configuration.sensitivity = newValue }
    }
    /// The sensitivity of single gestures, in place of ``sensitivity``.
    public var sensitivities: [ReactionGesture: Sensitivity] {
        get { configuration.sensitivities }
        set { configuration.sensitivities = newValue }
    }
    /// Reactions that gestures trigger instead of their built-in ones.
    public var bindings: [ReactionGesture: ReactionType] {
        get { configuration.bindings }
        set { configuration.bindings = newValue }
    }
    /// The appearance of reactions. A change also affects effects in progress.
    public var style: ReactionStyle {
        get { configuration.style }
        set { configuration.style = newValue }
    }
    /// The pictures in which a ring beside the hand fills while a gesture is held.
    public var holdRing: HoldRingVisibility {
        get { configuration.holdRing }
        set { configuration.holdRing = newValue }
    }
    /// The effects on the whole video: Portrait, Studio Light and auto framing.
    public var videoEffects: VideoEffects {
        get { configuration.videoEffects }
        set { configuration.videoEffects = newValue }
    }

    /// Returns the reaction that a gesture triggers.
    public func reactionType(for gesture: ReactionGesture) -> ReactionType { bindings[gesture] ?? gesture.reactionType }

    /// Two settings are equal if the same values are in effect.
    public static func == (a: LiveSettings, b: LiveSettings) -> Bool { a.values == b.values }

    public func hash(into hasher: inout Hasher) { hasher.combine(values) }

    private struct Values: Hashable {
        let declared: [SettingValue?]
        let sensitivities: [ReactionGesture: Sensitivity]
        let bindings: [ReactionGesture: ReactionType]
        let gestureSnooze: Double?
    }

    private var values: Values {
        Values(
            declared: SettingKey.live.map { $0.read(configuration) }, sensitivities: sensitivities, bindings: bindings,
            gestureSnooze: gestureSnooze)
    }
}

extension Configuration {
    private static let liveRecognition = SettingKey.live.filter { $0.table == "recognition" }

    /// Adopts the live settings of the table `recognition`, and the sensitivities.
    ///
    /// - Returns: `true` if a setting changed.
    package mutating func adoptRecognition(of settings: LiveSettings) -> Bool {
        let other = settings.configuration
        let changed = Self.liveRecognition.filter { $0.read(self) != $0.read(other) }
        guard !changed.isEmpty || sensitivities != other.sensitivities else { return false }
        for key in changed { try? key.write(key.read(other), &self) }
        sensitivities = other.sensitivities
        return true
    }
}
