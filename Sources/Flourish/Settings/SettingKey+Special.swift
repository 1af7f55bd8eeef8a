import Effects

extension SettingKey {
    static func palette(
        _ name: String, _ path: any Path<Palette?>, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .palette,
            read: { $0[keyPath: path].map { .text($0.colours.joined(separator: ",")) } },
            write: { value, configuration throws(FlourishError) in
                if case .text(let text)? = value {
                    configuration[keyPath: path] = try Palette(text)
                } else {
                    configuration[keyPath: path] = nil
                }
            })
    }

    /// Folders that come after those that are searched anyway.
    static func effectFolders(_ name: String, option: SettingOption?, _ summary: String) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .paths,
            read: { .list($0.resources?.effectFolders ?? []) },
            write: { value, configuration throws(FlourishError) in
                guard case .list(let folders)? = value, !folders.isEmpty else { return }
                do throws(EffectError) {
                    for folder in folders { try EffectLibrary.check(folder: folder) }
                } catch { throw FlourishError(error) }
                var resources = configuration.resources ?? .located()
                resources.effectFolders += folders
                configuration.resources = resources
            })
    }

    /// The file of gestures of somebody's own.
    static func gestureSet(
        _ name: String, _ path: any Path<GestureSet>, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .path, read: { _ in nil },
            write: { value, configuration throws(FlourishError) in
                guard case .text(let file)? = value else { return }
                configuration[keyPath: path] = try GestureSet(contentsOf: file)
            })
    }

    /// Gestures by name: the built-in ones in their order, then others by name.
    static func gestures(
        _ name: String, _ path: any Path<Set<ReactionGesture>>, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .gestures,
            read: { configuration in
                let chosen = configuration[keyPath: path]
                let others = chosen.subtracting(ReactionGesture.allCases).map(\.rawValue).sorted()
                return .list(ReactionGesture.allCases.filter(chosen.contains).map(\.rawValue) + others)
            },
            write: { value, configuration in
                if case .list(let names)? = value {
                    configuration[keyPath: path] = Set(names.compactMap(ReactionGesture.init(rawValue:)))
                }
            })
    }

    static func effectsFrameRate(
        _ name: String, _ path: any Path<EffectsFrameRate?>, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .numberOrAuto(1...1000),
            read: {
                switch $0[keyPath: path] {
                case .limit(let rate)?: .number(rate)
                case .automatic?: .text("auto")
                case nil: nil
                }
            },
            write: { value, configuration in
                configuration[keyPath: path] =
                    switch value {
                    case .number(let rate)?: .limit(rate)
                    case .text?: .automatic
                    default: nil
                    }
            })
    }

    static func effectDetail(
        _ name: String, _ path: any Path<Double?>, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .numberOrAuto(0.1...1),
            read: { $0[keyPath: path].map { .number($0) } ?? .text("auto") },
            write: { value, configuration in
                if case .number(let share)? = value {
                    configuration[keyPath: path] = share
                } else {
                    configuration[keyPath: path] = nil
                }
            })
    }

    /// The setting of a gesture of somebody's own, by its whole name; `nil` for other names.
    static func ofOwnGesture(_ name: String) -> SettingKey? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let gesture = ReactionGesture(rawValue: String(parts[1])) else { return nil }
        switch parts[0] {
        case bindingsTable:
            return binding(
                name, gesture, option: .bind(gesture),
                "The reaction that \(gesture.rawValue) triggers instead of its usual one."
            )
        case sensitivitiesTable:
            return sensitivity(
                name, gesture,
                "How readily \(gesture.rawValue) fires; recognition.sensitivity by default.")
        default: return nil
        }
    }

    /// The table of the bindings.
    static let bindingsTable = "bindings"
    /// The table of the gestures' own sensitivities.
    static let sensitivitiesTable = "sensitivity"

    static func sensitivity(_ name: String, _ gesture: ReactionGesture, _ summary: String) -> SettingKey {
        SettingKey(
            name: name, spelling: nil, summary: summary,
            kind: .choice(Sensitivity.allCases.map(\.rawValue)),
            read: { $0.sensitivities[gesture].map { .text($0.rawValue) } },
            write: { value, configuration in
                if case .text(let name)? = value {
                    configuration.sensitivities[gesture] = Sensitivity(rawValue: name)
                } else {
                    configuration.sensitivities[gesture] = nil
                }
            }
        ).with(.yields(to: "recognition.sensitivity"))
    }

    static func binding(
        _ name: String, _ gesture: ReactionGesture, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary,
            kind: .text(what: "the type of a reaction, such as \"confetti\"", example: "confetti"),
            read: { $0.bindings[gesture].map { .text($0.rawValue) } },
            write: { value, configuration in
                if case .text(let name)? = value {
                    configuration.bindings[gesture] = ReactionType(rawValue: name)
                } else {
                    configuration.bindings[gesture] = nil
                }
            }
        ).with(withoutGestures)
    }
}
