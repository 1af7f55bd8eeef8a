extension SettingKey {
    /// Every setting, in the order in which people read them. A new setting is a line here, and
    /// an option that sets it; what else is told of settings follows.
    public static let all: [SettingKey] = recognition + sensitivities + effects + bindings + input + encoding + output

    private static let recognition: [SettingKey] = [
        .flag(
            "recognition.gestures", \.gesturesEnabled, option: "--no-gestures",
            "Whether hands are looked for. Without, no model is loaded."),
        .number(
            "recognition.hold", \.hold, Configuration.holdRange, unit: "s", option: "--hold s",
            "How long a gesture must be held."
        ).with(withoutGestures),
        .number(
            "recognition.cooldown", \.cooldown, Configuration.cooldownRange, unit: "s", option: "--cooldown s",
            "How long the same reaction is not triggered again by a gesture."
        ).with(withoutGestures),
        .choice(
            "recognition.sensitivity", \.sensitivity, option: "--sensitivity level",
            "How readily gestures fire: low misses some rather than fire by accident, high the other way round."
        ).with(withoutGestures),
        .gestures(
            "recognition.disabled", \.disabledGestures, option: "--disable gesture,…",
            "Gestures that trigger nothing."
        ).with(withoutGestures),
        .gestureSet(
            "recognition.gestures-file", \.ownGestures, option: "--gestures file",
            "The file with gestures of your own, by default ~/.config/flourish/gestures.json."
        ).with(withoutGestures),
    ]

    /// The rule of settings that only recognition uses.
    static let withoutGestures = SettingRule.idle(beside: "recognition.gestures", is: .flag(false))

    private static let sensitivities: [SettingKey] = ReactionGesture.allCases.map { gesture in
        let one = gesture.sameWithOneHand.map { "sensitivity.\($0.rawValue), or else " } ?? ""
        return .sensitivity(
            "sensitivity.\(gesture.rawValue)", gesture,
            "How readily \(gesture.rawValue) fires; \(one)recognition.sensitivity by default.")
    }

    private static let effects: [SettingKey] = [
        .flag(
            "effects.reactions", \.reactionsEnabled, option: nil,
            "Whether reactions are shown at all."),
        .number(
            "effects.intensity", \.style.intensity, 0...1, option: "--intensity n",
            "How much of everything: the number of pieces, how dark the room becomes, how bright lights are."),
        .flag(
            "effects.calm", \.style.isCalm, option: "--calm, --no-calm",
            "Reduced motion: a small icon that fades in and out stands for each reaction."),
        .palette(
            "effects.palette", \.style.palette, option: "--palette palette",
            "Colours to use instead of the effects' own."),
        .effectFolders(
            "effects.folders", option: "--effects folder",
            "Folders with effects of your own, beside ~/.config/flourish/effects."),
        .integer(
            "effects.seed", \.seed, option: "--seed n",
            "The number that all random choices come from."),
    ]

    private static let bindings: [SettingKey] = ReactionGesture.allCases.map { gesture in
        .binding(
            "bindings.\(gesture.rawValue)", gesture, option: .bind(gesture),
            "The reaction that \(gesture.rawValue) triggers instead of \(gesture.reactionType.rawValue).")
    }

    private static let input: [SettingKey] = [
        .count(
            "input.max-pixels", \.input.maxPixels, 1...2_147_483_647, option: "--max-pixels n",
            "Inputs with larger pictures are refused."),
        .number(
            "input.timeout", \.input.timeout, 0.1...86_400, unit: "s", option: "--input-timeout s",
            "After so long without data an input from the network is lost, and an output to it fails."),
        .number(
            "input.stall", \.input.stallAfter, 0.1...86_400, unit: "s", option: "--input-stall s",
            "After so long without data from a pipe or the network you get a warning."),
        .count(
            "input.reconnect", \.input.reconnects, 0...1_000_000, option: "--input-reconnect n",
            "How often in a row to connect again to an input from the network that was lost."),
    ]

    private static let encoding: [SettingKey] = [
        .choice(
            "encoding.smart-render", \.encoding.smartRender, option: "--smart-render when",
            "Whether only what effects touch is encoded and all else copied: auto where that can be, always or not at all, never."
        ),
        .choice(
            "encoding.codec", \.encoding.codec, option: "--codec codec",
            "The video codec; in .webm, which takes no h264, vp9 unless one is named."),
        .number(
            "encoding.crf", \.encoding.crf, 0...63, option: "--crf n",
            "Constant quality: lower is better."
        ).with(.excludes("encoding.bitrate"), .atMost(51, for: [.h264, .hevc]), .isCodecsOwn),
        .bitRate(
            "encoding.bitrate", \.encoding.bitrate, option: "--bitrate rate",
            "Bits a second, such as 2500k or 2.5M: h264 holds it all the time, the others in the mean."),
        .bitRate(
            "encoding.max-bitrate", \.encoding.maxBitrate, option: "--max-bitrate rate",
            "How far the rate rises while effects run; \(EncodingOptions.defaultRaise) times bitrate by default."
        ).with(.needs("encoding.bitrate"), .notBelow("encoding.bitrate")),
        .integer(
            "encoding.max-frame-qp", \.encoding.maxFrameQP, 1...51, option: "--max-frame-qp n",
            "The coarsest quantiser of any frame; frames are left out where the rate does not allow it."
        ).with(
            .needs("encoding.bitrate", remedy: "with constant quality give a lower crf"), .codecs([.h264])),
        .integer(
            "encoding.max-frame-qp-effects", \.encoding.maxFrameQPDuringEffects, 1...51,
            option: "--max-frame-qp-effects n",
            "The same while effects run; max-frame-qp by default."
        ).with(.needs("encoding.max-frame-qp"), .notBelow("encoding.max-frame-qp")),
        .number(
            "encoding.effect-bits", \.encoding.effectBits, 1...1000, option: "--effect-bits n",
            "How many times the bits of the frames before it an effect may take."
        ).with(.excludes("encoding.bitrate")),
        .effectsFrameRate(
            "encoding.effects-fps", \.encoding.effectsFrameRate, option: "--effects-fps n",
            "Frames a second at most while effects run; those that stay keep their times; auto halves an input above 45."
        ),
        .effectDetail(
            "encoding.effect-detail", \.encoding.effectDetail, option: "--effect-detail share",
            "The share of effects' pieces that is drawn; auto draws fewer where a bitrate has no room for all, h264."),
        .flag(
            "encoding.protect-face", \.encoding.protectsFaces, option: "--protect-face, --no-protect-face",
            "Whether people's faces stay finer than the rest while effects run."
        ).with(.codecs([.h264, .hevc])),
        .text(
            "encoding.preset", \.encoding.preset,
            .text(what: "the name of a preset in quotes", example: "veryfast"), option: "--preset name",
            "The encoder's own preset: ultrafast … placebo for h264 and hevc, 0 … 13 for av1, 0 … 8 for vp9."
        ).with(.isCodecsOwn, .isPreset),
        .text(
            "encoding.pixel-format", \.encoding.pixelFormat,
            .text(what: "FFmpeg's name of a pixel format", example: "yuv420p"), option: "--pixel-format name",
            "The pixel format by FFmpeg's name, such as yuv420p10le; the input's if none is given."
        ).with(.isPixelFormat),
    ]

    private static let output: [SettingKey] = [
        .flag(
            "output.overwrite", \.overwrite, option: "-y, --overwrite, --no-overwrite",
            "Whether an existing output is replaced."),
        .message(
            "output.progress", .choice(["auto", "json", "none"]), .text("auto"), option: "--progress style",
            "How progress is shown: as a line on a terminal, as JSON Lines, or not at all."),
        .message(
            "output.quiet", .flag, .flag(false), option: "-q, --quiet, --no-quiet",
            "Whether only errors are printed."
        ).with(.yields(to: "output.progress"), .yields(to: "output.log-level")),
        .message(
            "output.log-level", .choice(["error", "warning", "info", "debug"]), .text("warning"),
            option: "--log-level level", "Which messages go to the standard error."
        ).with(.idle(beside: "output.quiet", is: .flag(true))),
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The key with a name.
    static func named(_ name: String) -> SettingKey? { byName[name] }

    /// The key that somebody may have meant.
    static func nearest(to name: String) -> SettingKey? {
        let word = name.split(separator: ".").last.map(String.init) ?? name
        let ranked = all.map { key in
            (
                key: key,
                distance: min(
                    EditDistance.between(name, key.name), EditDistance.between(word, String(key.shortName)))
            )
        }
        guard let best = ranked.min(by: { $0.distance < $1.distance }),
            best.distance <= max(2, word.count / 3)
        else { return nil }
        return best.key
    }
}
