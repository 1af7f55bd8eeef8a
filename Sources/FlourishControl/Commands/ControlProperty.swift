import Flourish

/// A property of a session that clients can read by its name. Clients can change some properties.
struct ControlProperty: Sendable {
    let name: String
    /// The setting that gives the initial value. A lock of the setting locks the property, too.
    var setting: String?
    let read: @Sendable (CommandHandler) -> JSONValue
    /// Changes the property; `nil` for a read-only property.
    var write: (@Sendable (inout LiveSettings, JSONValue, CommandHandler) throws(ControlError) -> Void)?
    /// Refuses values that cannot be used, before any property changes. It may take a moment.
    var admit: (@Sendable (JSONValue, CommandHandler) throws(ControlError) -> Void)?
    /// Changes what is no setting of the session, after all properties of a request were accepted by `write`.
    var apply: (@Sendable (JSONValue, CommandHandler) -> Void)?

    /// Returns all properties of a session, in the order of the documentation.
    static func all(of handler: CommandHandler) -> [ControlProperty] {
        let gestures = handler.session.availableGestures
        return switches + [snooze] + gestures.map(gesture) + recognition + gestures.map(binding) + appearance
            + [backgrounds] + camera + status
    }

    /// Returns the property with a name.
    ///
    /// - Throws: ``ControlError`` that lists all properties.
    static func named(_ name: String, of handler: CommandHandler) throws(ControlError) -> ControlProperty {
        let all = all(of: handler)
        if let found = all.first(where: { $0.name == name }) { return found }
        throw ControlError.unknown("property", name, among: all.map(\.name))
    }

    /// The property that holds the remaining seconds for which gestures are snoozed.
    static let gestureSnooze = "gestureSnooze"
}

extension ControlProperty {
    private static let switches = ["effects.reactions", "recognition.gestures"].compactMap(SettingKey.named).map(
        setting)

    /// The settings of recognition and of the appearance. Further ones follow in the order of the documentation.
    private static let recognition = settings(
        of: "recognition", beginningWith: ["recognition.disabled"], except: "recognition.gestures")
    private static let appearance = settings(
        of: "effects",
        beginningWith: [
            "intensity", "calm", "hold-ring", "background", "portrait", "studio-light", "auto-framing",
        ].map {
            "effects.\($0)"
        },
        except: "effects.reactions")

    private static func settings(
        of table: String, beginningWith first: [String], except switched: String
    ) -> [ControlProperty] {
        SettingKey.live.filter { $0.table == table && $0.name != switched }.beginning(with: first).map(setting)
    }

    /// Returns the property of a setting that can change while the session runs.
    private static func setting(_ key: SettingKey) -> ControlProperty {
        let name = key.liveName ?? key.name
        switch key.kind {
        case .gestures: return disabled(name, key)
        case .palette: return palette(name, key)
        case .background: return background(name, key)
        default: break
        }
        return ControlProperty(
            name: name, setting: key.name,
            read: { key.read($0.session.settings.configuration).map(\.json) ?? .null },
            write: { (settings, value, handler) throws(ControlError) in
                guard let accepted = SettingValue(value).flatMap({ key.kind.accept($0) }) else {
                    throw wrong(name, key.kind.expectationWithoutUnit, value)
                }
                if key.name == "recognition.gestures", accepted == .flag(true) {
                    try requireGestures(handler, "enabled")
                }
                do throws(FlourishError) { try key.write(accepted, &settings.configuration) } catch {
                    throw ControlError(.invalidValue, error)
                }
            })
    }

    /// The duration of a snooze that a client starts without a number, in seconds.
    private static let usualSnooze = 300.0

    private static let snooze = ControlProperty(
        name: gestureSnooze, setting: "recognition.gestures",
        read: { $0.session.gestureSnooze.map { .number(($0 * 10).rounded(.up) / 10) } ?? .null },
        write: { (settings, value, handler) throws(ControlError) in
            let seconds: Double? =
                switch value {
                case .null, .flag(false): 0
                case .flag(true): usualSnooze
                default: value.number
                }
            guard let seconds, (0...GestureSnooze.longest).contains(seconds) else {
                throw wrong(gestureSnooze, "true, false, null or a number of seconds up to a day", value)
            }
            if seconds > 0 { try requireGestures(handler, "snoozed") }
            settings.gestureSnooze = seconds > 0 ? seconds : nil
        })

    /// Returns the switch of a gesture, such as `gestures.victory`.
    private static func gesture(_ gesture: ReactionGesture) -> ControlProperty {
        let name = "gestures.\(gesture.rawValue)"
        return ControlProperty(
            name: name, setting: "recognition.disabled",
            read: { .flag(!$0.session.settings.disabledGestures.contains(gesture)) },
            write: { (settings, value, _) throws(ControlError) in
                if try flag(value, for: name) {
                    settings.disabledGestures.remove(gesture)
                } else {
                    settings.disabledGestures.insert(gesture)
                }
            })
    }

    /// Returns the property of gestures that trigger nothing.
    private static func disabled(_ name: String, _ key: SettingKey) -> ControlProperty {
        ControlProperty(
            name: name, setting: key.name,
            read: { .array($0.session.settings.disabledGestures.map(\.rawValue).sorted().map { .text($0) }) },
            write: { (settings, value, handler) throws(ControlError) in
                let known = handler.session.availableGestures
                var disabled: Set<ReactionGesture> = []
                guard case .array(let list) = value else { throw wrong(name, "a list of gestures", value) }
                for item in list {
                    guard case .text(let text) = item else { throw wrong(name, "a list of gestures", item) }
                    guard let gesture = known.first(where: { $0.rawValue == text }) else {
                        throw ControlError.unknown("gesture", text, among: known.map(\.rawValue))
                    }
                    disabled.insert(gesture)
                }
                settings.disabledGestures = disabled
            })
    }

    /// Returns the reaction of a gesture, such as `bindings.victory`.
    private static func binding(_ gesture: ReactionGesture) -> ControlProperty {
        let name = "bindings.\(gesture.rawValue)"
        return ControlProperty(
            name: name, setting: "bindings.\(gesture.rawValue)",
            read: { .text($0.session.settings.reactionType(for: gesture).rawValue) },
            write: { (settings, value, handler) throws(ControlError) in
                if value == .null {
                    settings.bindings[gesture] = handler.session.configuration.allBindings[gesture]
                    return
                }
                guard case .text(let type) = value else { throw wrong(name, "a reaction's name or null", value) }
                settings.bindings[gesture] = try handler.type(ReactionType(rawValue: type))
            })
    }

    private static func palette(_ name: String, _ key: SettingKey) -> ControlProperty {
        ControlProperty(
            name: name, setting: key.name, read: { palette($0.session.settings.style.palette) },
            write: { (settings, value, _) throws(ControlError) in settings.style.palette = try palette(value) })
    }

    private static func palette(_ palette: Palette?) -> JSONValue {
        guard let palette else { return .null }
        let name = Palette.names.first { Palette.designed[$0] == palette }
        return name.map { .text($0) } ?? .array(palette.colours.map { .text($0) })
    }

    /// Returns the palette with a name or with given colours. A text is never the path of a file, because it comes from
    /// another process.
    private static func palette(_ value: JSONValue) throws(ControlError) -> Palette? {
        let colours: [String]
        switch value {
        case .null: return nil
        case .array(let list): colours = list.map(\.plain)
        case .text(let text) where text.hasPrefix("#"):
            colours = text.split(separator: ",").map { String($0.drop { $0 == " " }) }
        case .text(let name):
            guard let palette = Palette.designed[name] else {
                throw ControlError.unknown("palette", name, among: Palette.names)
            }
            return palette
        default: throw wrong("palette", "a name, a list of colours such as #ff8800, or null", value)
        }
        do throws(FlourishError) { return try Palette(colours: colours) } catch {
            throw ControlError(.invalidValue, error)
        }
    }

    /// The names of the files that `background` accepts.
    private static let backgrounds = ControlProperty(
        name: "backgrounds",
        read: { .array($0.session.configuration.backgroundChoices.map { .text($0.name) }) })

    private static func background(_ name: String, _ key: SettingKey) -> ControlProperty {
        ControlProperty(
            name: name, setting: key.name, read: { .text($0.session.settings.videoEffects.background.name) },
            write: { (settings, value, handler) throws(ControlError) in
                settings.videoEffects.background = try background(value, handler)
            },
            admit: { (value, handler) throws(ControlError) in
                let background = try background(value, handler)
                do throws(FlourishError) { try background.check() } catch {
                    throw ControlError(.invalidValue, error)
                }
            })
    }

    /// Returns the background with a name. A text is never a path, because it comes from another process.
    private static func background(
        _ value: JSONValue, _ handler: CommandHandler
    ) throws(ControlError) -> Background {
        guard case .text(let text) = value else { throw wrong("background", "a text", value) }
        let configuration = handler.session.configuration
        let choices = configuration.backgroundChoices
        if let choice = choices.first(where: { $0.name == text }) { return .file(choice.path) }
        guard let background = Background(accepted: text) else {
            throw ControlError.unknown(
                "background", text, among: ["none", "blur", "blur:0.6", "#00b140"] + choices.map(\.name))
        }
        switch background {
        case .file:
            throw ControlError(
                .invalidValue,
                "\(text.prefix(80)) is not among the backgrounds of this run; name its file or folder with --backgrounds at the start"
            )
        case .transparent where !configuration.writesOverlay:
            throw ControlError(.notPossible, "this run has no alpha for a transparent background; --overlay has")
        case .unchanged, .blur, .colour, .transparent: return background
        }
    }

    /// The camera of `flourish camera`, and those that can be chosen. Published when they change.
    static let camera = [
        ControlProperty(
            name: "camera", read: { $0.cameraChoice?.camera().map { .text($0) } ?? .null },
            write: { (_, value, handler) throws(ControlError) in
                guard let choice = handler.cameraChoice else {
                    throw ControlError(.notPossible, "this run shows no camera; flourish camera does")
                }
                if value == .null { return }
                guard case .text(let name) = value else { throw wrong("camera", "a camera's name or null", value) }
                let names = choice.cameras().map(\.name)
                guard names.contains(name) else { throw ControlError.unknown("camera", name, among: names) }
            },
            apply: { value, handler in
                let name: String? = if case .text(let name) = value { name } else { nil }
                handler.cameraChoice?.choose(name)
            }),
        ControlProperty(name: "cameras", read: { $0.cameraChoice?.list ?? .null }),
        ControlProperty(name: "noPicture", read: { $0.pictureAbsence.map { .text($0) } ?? .null }),
    ]

    private static let status = [
        ControlProperty(name: "canPerformReactionEffects", read: { .flag($0.session.canPerformReactionEffects) }),
        ControlProperty(
            name: "availableReactionTypes",
            read: { .array($0.session.availableReactionTypes.map { .text($0.rawValue) }) }),
        ControlProperty(
            name: "reactionEffectsInProgress",
            read: { .array($0.session.reactionEffectsInProgress.map(\.jsonValue)) }),
        ControlProperty(name: "quality", read: { $0.session.quality?.jsonValue ?? .null }),
        ControlProperty(name: "statistics", read: { $0.session.statistics.jsonValue }),
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
}

extension ControlProperty {
    private static func flag(_ value: JSONValue, for name: String) throws(ControlError) -> Bool {
        guard case .flag(let flag) = value else { throw wrong(name, "true or false", value) }
        return flag
    }

    private static func requireGestures(_ handler: CommandHandler, _ verb: String) throws(ControlError) {
        guard handler.session.configuration.gesturesEnabled else {
            throw ControlError(
                .notPossible, "gestures cannot be \(verb): the program was started with --no-gestures")
        }
    }

    private static func wrong(_ name: String, _ wanted: String, _ value: JSONValue) -> ControlError {
        ControlError(.invalidValue, "\(name) must be \(wanted), not \(value.json.prefix(40))")
    }
}

extension SettingKind {
    /// The accepted values in words; the protocol's numbers have no units.
    fileprivate var expectationWithoutUnit: String {
        if case .number(let range, _) = self { SettingKind.number(range, unit: "").expectation } else { expectation }
    }
}
