import Effects
import Platform
import Vision

/// The table of all settings: name, property, range, option and description of each.
extension SettingKey {
    /// All settings, in the order of the documentation. To add a setting, add an entry here. The parsing of files, the
    /// documentation and the option's help follow from it.
    public static let all: [SettingKey] = recognition + sensitivities + effects + bindings + input + encoding + output

    private static let recognition: [SettingKey] = [
        .flag(
            "recognition.gestures", \.gesturesEnabled, option: "--no-gestures",
            "Detect gestures. If false, no model is loaded."),
        .number(
            "recognition.hold", \.hold, Configuration.holdRange, unit: "s", option: "--hold s",
            "The time for which a gesture must be held."
        ).with(withoutGestures),
        .number(
            "recognition.cooldown", \.cooldown, Configuration.cooldownRange, unit: "s", option: "--cooldown s",
            "The time for which a gesture does not trigger the same reaction again."
        ).with(withoutGestures),
        .choice(
            "recognition.sensitivity", \.sensitivity, option: "--sensitivity level",
            "The sensitivity of gestures: low triggers fewer false reactions, high misses fewer gestures."
        ).with(withoutGestures),
        .choice(
            "recognition.while-speaking", \.speechPolicy, option: "--while-speaking policy",
            "The effect of speech in the input's sound: allow gestures, require a hold twice as long (hold-longer), or ignore gestures."
        ).with(withoutGestures),
        .gestures(
            "recognition.disabled", \.disabledGestures, option: "--disable gesture,…",
            "Gestures that trigger nothing."
        ).with(withoutGestures),
        .gestureSet(
            "recognition.gestures-file", \.ownGestures, option: "--gestures file",
            "The file with custom gestures (default: ~/.config/flourish/gestures.json)."
        ).with(withoutGestures),
        .layout(
            "recognition.layout", \.layout, option: "--layout layout",
            "The tiles of a gallery recording, in which people react one by one."),
    ]

    /// The rule of settings that only recognition uses.
    static let withoutGestures = SettingRule.idle(beside: "recognition.gestures", is: .flag(false))

    private static let sensitivities: [SettingKey] = ReactionGesture.allCases.map { gesture in
        let one = gesture.sameWithOneHand.map { "sensitivity.\($0.rawValue), or else " } ?? ""
        return .sensitivity(
            "sensitivity.\(gesture.rawValue)", gesture,
            "The sensitivity of \(gesture.rawValue) (default: \(one)recognition.sensitivity).")
    }

    private static let effects: [SettingKey] = [
        .flag(
            "effects.reactions", \.reactionsEnabled, option: nil,
            "Show reactions."),
        .number(
            "effects.intensity", \.style.intensity, 0...1, option: "--intensity n",
            "The strength of effects: the number of particles, the dimming of the room and the brightness of lights."),
        .flag(
            "effects.calm", \.style.isCalm, option: "--calm, --no-calm",
            "Reduced motion: show each reaction as a small icon that fades in and out."),
        .flag(
            "effects.limit-flashes", \.limitsFlashes, option: "--limit-flashes, --no-limit-flashes",
            "Weaken effects where they would flash more than three times in a second (WCAG 2.3.1)."),
        .palette(
            "effects.palette", \.style.palette, option: "--palette palette",
            "The colours that replace those of the effects."),
        .effectFolders(
            "effects.folders", option: "--effects folder",
            "Folders with custom effects, in addition to ~/.config/flourish/effects."),
        .choice(
            "effects.hold-ring", \.holdRing, option: "--hold-ring where",
            "A ring beside the hand that fills while a gesture is held: in the preview of the panel, in the output (all frames are encoded) or off; flourish camera uses preview unless told otherwise."
        ).with(withoutGestures),
        .number(
            "effects.portrait", \.videoEffects.portrait, 0...1, option: "--portrait strength",
            "The strength with which the background is out of focus; above 0, all frames are encoded."),
        .number(
            "effects.studio-light", \.videoEffects.studioLight, 0...1, option: "--studio-light strength",
            "The strength of the light on faces, and of the darkness behind them; above 0, all frames are encoded."),
        .number(
            "effects.sounds", \.soundLevel, 0...1, option: "--sounds level",
            "The level of the sounds of reactions, which are mixed into the recording's sound; 0 is off."),
        .integer(
            "effects.seed", \.seed, option: "--seed n",
            "The seed of all random choices."),
    ]

    private static let bindings: [SettingKey] = ReactionGesture.allCases.map { gesture in
        .binding(
            "bindings.\(gesture.rawValue)", gesture, option: .bind(gesture),
            "The reaction that \(gesture.rawValue) triggers instead of \(gesture.reactionType.rawValue).")
    }

    private static let input: [SettingKey] = [
        .count(
            "input.max-pixels", \.input.maxPixels, 1...2_147_483_647, option: "--max-pixels n",
            "The maximum picture size in pixels; larger inputs are rejected."),
        .choice(
            "input.decoders", \.input.decoders, option: "--decoders which",
            "The decoders that may be used: those of usual recordings, or all of FFmpeg's, for files that you trust."
        ),
        .number(
            "input.timeout", \.input.timeout, 0.1...86_400, unit: "s", option: "--input-timeout s",
            "The network timeout: after this time without data, an input is lost and an output fails."),
        .number(
            "input.stall", \.input.stallAfter, 0.1...86_400, unit: "s", option: "--input-stall s",
            "The time without data from a pipe or the network after which a warning is logged."),
        .count(
            "input.reconnect", \.input.reconnects, 0...1_000_000, option: "--input-reconnect n",
            "The maximum number of consecutive attempts to reconnect to a lost network input."),
    ]

    private static let encoding: [SettingKey] = [
        .choice(
            "encoding.smart-render", \.encoding.smartRender, option: "--smart-render when",
            "Encode only segments with effects, and copy the rest: auto (where possible), always (or fail) or never."
        ),
        .choice(
            "encoding.codec", \.encoding.codec, option: "--codec codec",
            "The video codec (default in .webm, which does not support h264: vp9)."),
        .number(
            "encoding.crf", \.encoding.crf, 0...63, option: "--crf n",
            "The constant rate factor; lower values mean better quality."
        ).with(.excludes("encoding.bitrate"), .atMost(51, for: [.h264, .hevc]), .isCodecsOwn),
        .bitRate(
            "encoding.bitrate", \.encoding.bitrate, option: "--bitrate rate",
            "The bit rate in bits per second, such as 2500k or 2.5M: constant for h264, an average for other codecs."),
        .bitRate(
            "encoding.max-bitrate", \.encoding.maxBitrate, option: "--max-bitrate rate",
            "The maximum bit rate while effects run (default: \(EncodingOptions.defaultRaise) times bitrate)."
        ).with(.needs("encoding.bitrate"), .notBelow("encoding.bitrate")),
        .integer(
            "encoding.max-frame-qp", \.encoding.maxFrameQP, 1...51, option: "--max-frame-qp n",
            "The maximum quantiser of any frame; frames are dropped if the bit rate does not allow it."
        ).with(
            .needs("encoding.bitrate", remedy: "for constant quality, use a lower crf"), .codecs([.h264])),
        .integer(
            "encoding.max-frame-qp-effects", \.encoding.maxFrameQPDuringEffects, 1...51,
            option: "--max-frame-qp-effects n",
            "The maximum quantiser while effects run (default: max-frame-qp)."
        ).with(.needs("encoding.max-frame-qp"), .notBelow("encoding.max-frame-qp")),
        .number(
            "encoding.effect-bits", \.encoding.effectBits, 1...1000, option: "--effect-bits n",
            "The maximum bit rate of an effect, as a multiple of that of the frames before it."
        ).with(.excludes("encoding.bitrate")),
        .effectsFrameRate(
            "encoding.effects-fps", \.encoding.effectsFrameRate, option: "--effects-fps n",
            "The maximum frame rate while effects run; remaining frames keep their time stamps; auto halves rates above 45."
        ),
        .effectDetail(
            "encoding.effect-detail", \.encoding.effectDetail, option: "--effect-detail share",
            "The share of the effects' particles that is drawn; auto (h264 only) draws fewer if the bit rate is too low for all."
        ),
        .flag(
            "encoding.protect-face", \.encoding.protectsFaces, option: "--protect-face, --no-protect-face",
            "Encode faces at higher quality than the rest of the picture while effects run."
        ).with(.codecs([.h264, .hevc])),
        .text(
            "encoding.preset", \.encoding.preset,
            .text(what: "the name of a preset, quoted", example: "veryfast"), option: "--preset name",
            "The encoder's preset: ultrafast … placebo for h264 and hevc, 0 … 13 for av1, 0 … 8 for vp9."
        ).with(.isCodecsOwn, .isPreset),
        .text(
            "encoding.pixel-format", \.encoding.pixelFormat,
            .text(what: "FFmpeg's name of a pixel format", example: "yuv420p"), option: "--pixel-format name",
            "The pixel format by FFmpeg's name, such as yuv420p10le (default: the input's)."
        ).with(.isPixelFormat),
    ]

    private static let output: [SettingKey] = [
        .flag(
            "output.overwrite", \.overwrite, option: "-y, --overwrite, --no-overwrite",
            "Overwrite an existing output."),
        .flag(
            "output.chapters", \.writesChapters, option: "--chapters, --no-chapters",
            "Write a chapter for each reaction into the file; the input's chapters are kept."),
        .message(
            "output.progress", .choice(["auto", "json", "none"]), .text("auto"), option: "--progress style",
            "The display of progress: auto (a line on a terminal), json (JSON Lines) or none."),
        .message(
            "output.quiet", .flag, .flag(false), option: "-q, --quiet, --no-quiet",
            "Print only errors."
        ).with(.yields(to: "output.progress"), .yields(to: "output.log-level")),
        .message(
            "output.log-level", .choice(["error", "warning", "info", "debug"]), .text("warning"),
            option: "--log-level level", "The lowest severity of messages on the standard error."
        ).with(.idle(beside: "output.quiet", is: .flag(true))),
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// Returns the key with a name.
    static func named(_ name: String) -> SettingKey? { byName[name] }

    /// Returns the key whose name is most similar; `nil` if no name is similar.
    static func nearest(to name: String) -> SettingKey? {
        let word = name.split(separator: ".").last.map(String.init) ?? name
        let ranked = all.map { key in
            (
                key: key,
                distance: min(
                    name.editDistance(to: key.name), word.editDistance(to: String(key.shortName)))
            )
        }
        guard let best = ranked.min(by: { $0.distance < $1.distance }),
            best.distance <= max(2, word.count / 3)
        else { return nil }
        return best.key
    }
}

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

    static func layout(
        _ name: String, _ path: any Path<LayoutChoice>, option: SettingOption?, _ summary: String
    ) -> SettingKey {
        SettingKey(
            name: name, spelling: option, summary: summary, kind: .layout,
            read: {
                let text = $0[keyPath: path].text
                return text.isEmpty ? nil : .text(text)
            },
            write: { value, configuration throws(FlourishError) in
                if case .text(let text)? = value { configuration[keyPath: path] = try LayoutChoice(text) }
            })
    }

    /// Returns a key for folders that are searched after the default folders.
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

    /// Returns a key for the file of the user's own gestures.
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

    /// Returns a key for a list of gestures. Built-in gestures precede custom gestures, which are sorted by name.
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

    /// Returns the key of a custom gesture's setting, by the full name; `nil` for other names.
    static func ofOwnGesture(_ name: String) -> SettingKey? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let gesture = ReactionGesture(rawValue: String(parts[1])) else { return nil }
        switch parts[0] {
        case bindingsTable:
            return binding(
                name, gesture, option: .bind(gesture),
                "The reaction that \(gesture.rawValue) triggers instead of its default."
            )
        case sensitivitiesTable:
            return sensitivity(
                name, gesture,
                "The sensitivity of \(gesture.rawValue) (default: recognition.sensitivity).")
        default: return nil
        }
    }

    /// The table of bindings.
    static let bindingsTable = "bindings"
    /// The table of sensitivities of single gestures.
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
