import Flourish

/// A property of a session that clients can read by its name. Clients can change some properties.
struct ControlProperty: Sendable {
    let name: String
    /// The setting that gives the initial value. A lock of the setting locks the property, too.
    var setting: String?
    let read: @Sendable (CommandHandler) -> ControlValue
    /// Changes the property; `nil` for a read-only property.
    var write: (@Sendable (ReactionSession, ControlValue) throws(ControlError) -> Void)?

    /// Returns all properties of a session, in the order of the documentation.
    static func all(of handler: CommandHandler) -> [ControlProperty] {
        switches + [snooze] + handler.session.availableGestures.map(gesture) + appearance + status
    }

    /// Returns the property with a name.
    ///
    /// - Throws: ``ControlError`` that lists all properties.
    static func named(_ name: String, of handler: CommandHandler) throws(ControlError) -> ControlProperty {
        let all = all(of: handler)
        if let found = all.first(where: { $0.name == name }) { return found }
        throw ControlError(
            "unknown property \"\(name.prefix(60))\"; use one of \(all.map(\.name).joined(separator: ", "))")
    }
}

extension ControlProperty {
    private static let switches = [
        ControlProperty(
            name: "reactionEffectsEnabled", setting: "effects.reactions",
            read: { .flag($0.session.reactionEffectsEnabled) },
            write: { (session, value) throws(ControlError) in
                session.reactionEffectsEnabled = try flag(value, for: "reactionEffectsEnabled")
            }),
        ControlProperty(
            name: "reactionEffectGesturesEnabled", setting: "recognition.gestures",
            read: { .flag($0.session.reactionEffectGesturesEnabled) },
            write: { (session, value) throws(ControlError) in
                let isOn = try flag(value, for: "reactionEffectGesturesEnabled")
                if isOn, !session.configuration.gesturesEnabled {
                    throw ControlError("gestures cannot be enabled: the program was started with --no-gestures")
                }
                session.reactionEffectGesturesEnabled = isOn
            }),
    ]

    /// The property that holds the remaining seconds for which gestures are snoozed.
    static let gestureSnooze = "gestureSnooze"
    /// The duration of a snooze that a client starts without a number, in seconds.
    private static let usualSnooze = 300.0

    private static let snooze = ControlProperty(
        name: gestureSnooze, setting: "recognition.gestures",
        read: { $0.session.gestureSnooze.map { .number(($0 * 10).rounded(.up) / 10) } ?? .null },
        write: { (session, value) throws(ControlError) in
            let seconds: Double =
                if let number = value.asNumber {
                    number
                } else if value == .null {
                    0
                } else {
                    try flag(value, for: gestureSnooze) ? usualSnooze : 0
                }
            guard (0...GestureSnooze.longest).contains(seconds) else {
                throw ControlError(
                    "\(gestureSnooze) must be a number of seconds up to a day, not \(value.plain.prefix(40))")
            }
            if seconds > 0, !session.configuration.gesturesEnabled {
                throw ControlError("gestures cannot be snoozed: the program was started with --no-gestures")
            }
            session.snoozeGestures(for: seconds)
        })

    /// Returns the switch of a gesture, such as `gestures.victory`.
    private static func gesture(_ gesture: ReactionGesture) -> ControlProperty {
        let name = "gestures.\(gesture.rawValue)"
        return ControlProperty(
            name: name, setting: "recognition.disabled",
            read: { .flag(!$0.session.disabledGestures.contains(gesture)) },
            write: { (session, value) throws(ControlError) in
                session.setGesture(gesture, enabled: try flag(value, for: name))
            })
    }

    private static let appearance = [
        ControlProperty(
            name: "intensity", setting: "effects.intensity", read: { .number($0.session.style.intensity) },
            write: { (session, value) throws(ControlError) in
                guard let intensity = value.asNumber, (0...1).contains(intensity) else {
                    throw ControlError("intensity must be a number from 0 to 1, not \(value.plain.prefix(40))")
                }
                session.style.intensity = intensity
            }),
        ControlProperty(
            name: "calm", setting: "effects.calm", read: { .flag($0.session.style.isCalm) },
            write: { (session, value) throws(ControlError) in
                session.style.isCalm = try flag(value, for: "calm")
            }),
    ]

    private static let status = [
        ControlProperty(name: "canPerformReactionEffects", read: { .flag($0.session.canPerformReactionEffects) }),
        ControlProperty(
            name: "availableReactionTypes",
            read: { .list($0.session.availableReactionTypes.map { .text($0.rawValue) }) }),
        ControlProperty(
            name: "reactionEffectsInProgress",
            read: { .list($0.session.reactionEffectsInProgress.map(\.controlValue)) }),
        ControlProperty(name: "quality", read: { $0.session.quality?.controlValue ?? .null }),
        ControlProperty(name: "statistics", read: { $0.session.statistics.controlValue }),
        ControlProperty(
            name: "gestureHold",
            read: { handler in
                handler.session.gestureHold.map {
                    .object(["gesture": .text($0.gesture.rawValue), "progress": .number($0.progress)])
                } ?? .null
            }),
        ControlProperty(name: "captureReadiness", read: { .text($0.session.captureReadiness.rawValue) }),
        ControlProperty(name: "isFusionScene", read: { .flag($0.session.isFusionScene) }),
        ControlProperty(name: "isDarkScene", read: { .flag($0.session.isDarkScene) }),
        ControlProperty(name: "input", read: { $0.input.map { .text($0) } ?? .null }),
        ControlProperty(name: "progress", read: { $0.progress }),
    ]

    /// Returns a Boolean value. The words `on` and `off` are also accepted.
    private static func flag(_ value: ControlValue, for name: String) throws(ControlError) -> Bool {
        switch value {
        case .flag(let flag): return flag
        case .text(let text):
            if case .flag(let flag) = ControlValue(typed: text) { return flag }
        default: break
        }
        throw ControlError("\(name) must be true or false, not \(value.plain.prefix(40))")
    }
}
