import Effects
public import Reactions
import Vision

/// The settings of a session: recognition, reactions and encoding.
///
/// The declarations of settings that files and options change (``SettingKey``) follow the properties, in this file and
/// in those of ``InputOptions`` and ``EncodingOptions``.
public struct Configuration: Sendable {
    /// True if hands are detected. If `false`, no model is loaded.
    public var gesturesEnabled = true
    /// True if reactions are shown.
    public var reactionsEnabled = true
    /// The time for which a gesture must be held, in seconds.
    public var hold = 1.0
    /// The time before a gesture can trigger the same reaction again, in seconds.
    public var cooldown = 3.0
    /// The sensitivity of all gestures.
    public var sensitivity = Sensitivity.normal
    /// The sensitivities of single gestures, which replace ``sensitivity``. If a two-hand gesture has no value, the
    /// value of the one-hand gesture with the same sign applies to it.
    public var sensitivities: [ReactionGesture: Sensitivity] = [:]
    /// The effect of speech on gestures. Speech is detected in the input's sound.
    public var speechPolicy = SpeechPolicy.allow
    /// Gestures that do not trigger anything.
    public var disabledGestures: Set<ReactionGesture> = []
    /// The tiles of a gallery recording. Each shows one person, whose reactions are drawn in it.
    public var layout = LayoutChoice.automatic
    /// Reactions at chosen times.
    public var scheduledReactions: [ScheduledReaction] = []
    /// Reactions that gestures trigger instead of their default ones.
    public var bindings: [ReactionGesture: ReactionType] = [:]
    /// Gestures in addition to the built-in ones; see ``GestureSet/usersOwn(environment:)``.
    public var ownGestures = GestureSet()
    /// The appearance of reactions.
    public var style = ReactionStyle()
    /// True if effects are weakened where they would flash more than three times in a second (WCAG 2.3.1).
    public var limitsFlashes = true
    /// The pictures in which a ring beside the hand fills while a gesture is held.
    public var holdRing = HoldRingVisibility.off
    /// The effects on the whole video: its background, Studio Light and auto framing.
    public var videoEffects = VideoEffects()
    /// The pictures and videos, and folders with them, among which clients of a running session may choose a background.
    public var offeredBackgrounds: [String] = []
    /// The level of the sounds of reactions, which are mixed into the recording's sound, 0…1; 0 for none.
    public var soundLevel = 0.0
    /// The level of sounds if none is given.
    public static let usualSoundLevel = 0.5
    /// The seed of every random choice of the effects.
    public var seed: UInt64 = 1
    /// The options of the encoder.
    public var encoding = EncodingOptions()
    /// The options of the input.
    public var input = InputOptions()
    /// FFmpeg's name of the output's container, such as `nut`. If `nil`, the output's name determines the container;
    /// the default for the standard output is NUT.
    public var outputFormat: String?
    /// The commands that run at events. The command line runs them; sessions of a program do not.
    package var hooks = HookSettings()
    /// True if latency takes precedence. Gestures are detected on a separate thread, the encoder uses no look-ahead,
    /// and quality is reduced if the machine is too slow.
    public var isLive = false
    /// True if the latency of each stage is measured and emitted.
    public var measuresLatency = false
    /// True if events report holds that almost triggered, and why they did not.
    public var reportsCandidates = false
    /// True if user-data SEI messages in the video describe the effects in progress; H.264 and HEVC only.
    public var embedsMetadata = false
    /// True if only the effects are written, as an overlay with a transparent background.
    ///
    /// The container determines the codec: VP9 in WebM, ProRes 4444 in QuickTime, FFV1 in Matroska, RGBA in NUT and raw
    /// video. For an output such as `effects-%05d.png`, the result is a picture for each frame with effects, and a
    /// list, `effects.ffconcat`. Sound and other streams are omitted.
    public var writesOverlay = false
    /// True if the output has a chapter for each reaction, in addition to the input's chapters. MP4, QuickTime,
    /// Matroska and WebM files hold them.
    public var writesChapters = false
    /// The options of photographs; `nil` for no photographs.
    public var photos: PhotoOptions?
    /// True if an existing output is replaced.
    public var overwrite = false
    /// The existing files that photographs replace; if `nil`, all or none, depending on ``overwrite``.
    package var photoReplacement: PhotoReplacement?
    /// True if the output of an interrupted recording gets its final name.
    ///
    /// Otherwise the output for `out.mp4` is `out.partial.mp4`, or `out.partial-2.mp4` if that file exists. An existing
    /// `out.mp4` is kept. ``SessionOutcome/output`` contains the name. The output of a live run, or of a run on a pipe,
    /// a device or the network, is complete whenever the run ends.
    public var keepsPartialOutput = true
    /// True if clients may request effects during the run. In that case, the reactions are not known before the output
    /// is written.
    package var isSteered = false
    /// True if a live processor lowers the quality of effects and the rate of detection while the machine is too slow.
    package var lowersQuality = false
    /// True if fragmented MP4 is written only after the first pictures have arrived, so that its header states their
    /// times.
    package var opensWithPictures = false
    /// The settings that the system's file locks.
    package var locks = SettingLocks()
    /// The places of models, libraries and effect descriptions; the default places if `nil`.
    public var resources: Resources?

    /// The allowed durations of a hold, in seconds.
    public static let holdRange = 0.0...10
    /// The allowed durations of a cooldown, in seconds.
    public static let cooldownRange = 0.0...3600

    /// Creates the default settings.
    public init() {}

    /// Returns the reaction that a gesture triggers.
    public func reactionType(for gesture: ReactionGesture) -> ReactionType {
        bindings[gesture] ?? ownGestures[gesture]?.reactionType ?? gesture.reactionType
    }

    /// The reactions of gestures that differ from the built-in ones.
    package var allBindings: [ReactionGesture: ReactionType] {
        var all = bindings
        for own in ownGestures.gestures where all[own.gesture] == nil { all[own.gesture] = own.reactionType }
        return all
    }

    /// The types that the user chose by name.
    package var namedTypes: [ReactionType] {
        scheduledReactions.map(\.reactionType)
            + bindings.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    }
}

/// A reaction that starts at a given time.
public struct ScheduledReaction: Sendable, Hashable {
    /// The type of the reaction.
    public var reactionType: ReactionType
    /// The time in seconds from the first frame of the video.
    public var seconds: Double
    /// The place at which it starts; a default place if `nil`.
    public var origin: PicturePoint?

    /// Creates a reaction at a time and a place. By default, these are the first frame and the default place of the
    /// type.
    public init(_ reactionType: ReactionType, at seconds: Double = 0, origin: PicturePoint? = nil) {
        self.reactionType = reactionType
        self.seconds = seconds
        self.origin = origin
    }
}

/// Settings that the system-wide settings file locks, so that their values apply to all users of the machine.
package struct SettingLocks: Sendable {
    /// The files that lock settings, by the setting's name.
    package var files: [String: String] = [:]
    /// Writes the locked values into a configuration.
    package var write: @Sendable (inout Configuration) -> Void = { _ in }

    package init() {}
}

// MARK: - Declarations of settings

extension SettingKey {
    /// All settings, in the order of the documentation.
    public static let all: [SettingKey] =
        recognition + sensitivities + effects + bindings + input + encoding + output + hooks

    private static let recognition: [SettingKey] = [
        SettingKey(
            "recognition.gestures", \.gesturesEnabled, .flag, option: "--no-gestures",
            "Detect gestures. If false, no model is loaded."
        ).live(as: "reactionEffectGesturesEnabled"),
        SettingKey(
            "recognition.hold", \.hold, .number(Configuration.holdRange, unit: "s"), option: "--hold s",
            "The time for which a gesture must be held."
        ).live().with(withoutGestures),
        SettingKey(
            "recognition.cooldown", \.cooldown, .number(Configuration.cooldownRange, unit: "s"),
            option: "--cooldown s",
            "The time for which a gesture does not trigger the same reaction again."
        ).live().with(withoutGestures),
        SettingKey(
            "recognition.sensitivity", \.sensitivity, .choice(of: Sensitivity.self),
            option: SettingOption("--sensitivity level", note: "A configuration file can set it per gesture."),
            "The sensitivity of gestures: low triggers fewer false reactions, high misses fewer gestures."
        ).live().with(withoutGestures),
        SettingKey(
            "recognition.while-speaking", \.speechPolicy, .choice(of: SpeechPolicy.self),
            option: "--while-speaking policy",
            "The effect of speech in the input's sound: allow gestures, require a hold twice as long (hold-longer), or ignore gestures."
        ).notForHosts().with(withoutGestures),
        SettingKey(
            "recognition.disabled", \.disabledGestures, .gestures,
            option: SettingOption(
                "--disable gesture,…", note: "Built-in or custom gestures, as in victory,heart; repeatable."),
            "Gestures that trigger nothing."
        ).live().with(withoutGestures),
        SettingKey(
            "recognition.gestures-file", \.ownGestures, .path, option: "--gestures file",
            "The file with custom gestures (default: ~/.config/flourish/gestures.json)."
        ).with(withoutGestures),
        SettingKey(
            "recognition.layout", \.layout, .layout,
            option: SettingOption(
                "--layout layout",
                note: "auto detects them; single is one picture; or a grid such as 3x2; or a file."),
            "The tiles of a gallery recording, in which people react one by one."),
    ]

    /// The rule of settings that only recognition uses.
    private static let withoutGestures = SettingRule.idle(beside: "recognition.gestures", is: .flag(false))

    private static let sensitivities = ReactionGesture.allCases.map { gesture in
        let one = gesture.sameWithOneHand.map { "sensitivity.\($0.rawValue), or else " } ?? ""
        return sensitivity(of: gesture, default: "\(one)recognition.sensitivity")
    }

    private static let effects: [SettingKey] = [
        SettingKey(
            "effects.reactions", \.reactionsEnabled, .flag,
            "Show reactions."
        ).live(as: "reactionEffectsEnabled"),
        SettingKey(
            "effects.intensity", \.style.intensity, .number(0...1), option: "--intensity n",
            "The strength of effects: the number of particles, the dimming of the room and the brightness of lights."
        ).live(),
        SettingKey(
            "effects.calm", \.style.isCalm, .flag, option: "--calm, --no-calm",
            "Reduced motion: show each reaction as a small icon that fades in and out."
        ).live(),
        SettingKey(
            "effects.limit-flashes", \.limitsFlashes, .flag, option: "--limit-flashes, --no-limit-flashes",
            "Weaken effects where they would flash more than three times in a second (WCAG 2.3.1)."),
        SettingKey(
            "effects.palette", \.style.palette, .palette,
            option: SettingOption(
                "--palette palette",
                note: "One of \(Palette.names.joined(separator: ", ")); or \"#hex,#hex,…\"; or a file."),
            "The colours that replace those of the effects."
        ).live(),
        SettingKey(
            "effects.folders", .paths, of: [String].self,
            option: SettingOption("--effects folder", note: "One per option; repeatable."),
            "Folders with custom effects, in addition to ~/.config/flourish/effects.",
            read: { .list($0.resources?.effectFolders ?? []) },
            // The folders of weaker origins are searched, too.
            write: { value, configuration throws(FlourishError) in
                guard case .list(let folders)? = value, !folders.isEmpty else { return }
                do throws(EffectError) {
                    for folder in folders { try EffectLibrary.check(folder: folder) }
                } catch { throw FlourishError(error) }
                var resources = configuration.resources ?? .located()
                resources.effectFolders += folders
                configuration.resources = resources
            }),
        SettingKey(
            "effects.hold-ring", \.holdRing, .choice(of: HoldRingVisibility.self), option: "--hold-ring where",
            "A ring beside the hand that fills while a gesture is held: in the preview of the panel, in the output (all frames are encoded) or off; flourish camera uses preview unless told otherwise."
        ).live().with(withoutGestures),
        SettingKey(
            "effects.portrait", \.videoEffects.portrait, .number(0...1),
            option: SettingOption("--portrait strength", valueWithout: VideoEffects.usualPortrait),
            "The strength with which the background is out of focus, as --background blur:strength; above 0, all frames are encoded."
        ).live().with(.isShortFor("effects.background")),
        SettingKey(
            "effects.background", \.videoEffects.givenBackground, .background,
            option: SettingOption(
                "--background what", note: "none, blur:0.6, \"#hex\", transparent, or a picture or video.",
                suggestions: ["blur", "transparent"]),
            "What is shown behind people: the background out of focus, a colour, a picture, a video that repeats, or nothing in outputs with alpha; all frames are encoded."
        ).live().with(.yields(to: "effects.portrait")),
        SettingKey(
            "effects.backgrounds", .paths, of: [String].self,
            option: SettingOption("--backgrounds path", note: "One per option; repeatable."),
            "Pictures, videos, or folders with them, among which the panel and the control socket may choose a background.",
            read: { .list($0.offeredBackgrounds) },
            write: { value, configuration throws(FlourishError) in
                guard case .list(let paths)? = value else { return }
                configuration.offeredBackgrounds = paths
            }
        ).notForHosts(),
        SettingKey(
            "effects.studio-light", \.videoEffects.studioLight, .number(0...1),
            option: SettingOption("--studio-light strength", valueWithout: VideoEffects.usualStudioLight),
            "The strength of the light on faces, and of the darkness behind them; above 0, all frames are encoded."
        ).live(),
        SettingKey(
            "effects.auto-framing", \.videoEffects.autoFraming, .number(0...1),
            option: SettingOption("--auto-framing strength", valueWithout: VideoEffects.usualAutoFraming),
            "The strength with which the picture follows people; above 0, all frames are encoded."
        ).live(),
        SettingKey(
            "effects.sounds", \.soundLevel, .number(0...1),
            option: SettingOption("--sounds level", valueWithout: Configuration.usualSoundLevel),
            "The level of the sounds of reactions, which are mixed into the recording's sound; 0 is off."
        ).notForHosts(),
        SettingKey(
            "effects.seed", \.seed, .integer(0...Int.max), option: "--seed n",
            "The seed of all random choices."),
    ]

    private static let bindings = ReactionGesture.allCases.map { gesture in
        binding(of: gesture, default: gesture.reactionType.rawValue)
    }

    private static let output: [SettingKey] = [
        SettingKey(
            "output.overwrite", \.overwrite, .flag, option: "-y, --overwrite, --no-overwrite",
            "Overwrite an existing output."),
        SettingKey(
            "output.chapters", \.writesChapters, .flag, option: "--chapters, --no-chapters",
            "Write a chapter for each reaction into the file; the input's chapters are kept."),
        SettingKey(
            "output.progress", .choice(["auto", "json", "none"]), always: .text("auto"), option: "--progress style",
            "The display of progress: auto (a line on a terminal), json (JSON Lines) or none."),
        SettingKey(
            "output.quiet", .flag, always: .flag(false), option: "-q, --quiet, --no-quiet",
            "Print only errors."
        ).with(.yields(to: "output.progress"), .yields(to: "output.log-level")),
        SettingKey(
            "output.log-level", .choice(["error", "warning", "info", "debug"]), always: .text("warning"),
            option: "--log-level level", "The lowest severity of messages on the standard error."
        ).with(.idle(beside: "output.quiet", is: .flag(true))),
    ]

    /// Returns the key of a custom gesture's setting, by the full name; `nil` for other names.
    package static func ofOwnGesture(_ name: String) -> SettingKey? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let gesture = ReactionGesture(rawValue: String(parts[1])) else { return nil }
        return switch parts[0] {
        case bindingsTable: binding(of: gesture, default: "its default")
        case sensitivitiesTable: sensitivity(of: gesture, default: "recognition.sensitivity")
        default: nil
        }
    }

    private static func sensitivity(of gesture: ReactionGesture, default usual: String) -> SettingKey {
        SettingKey(
            "\(sensitivitiesTable).\(gesture.rawValue)", \.sensitivities[gesture], .choice(of: Sensitivity.self),
            "The sensitivity of \(gesture.rawValue) (default: \(usual))."
        ).with(.yields(to: "recognition.sensitivity"))
    }

    private static func binding(of gesture: ReactionGesture, default usual: String) -> SettingKey {
        SettingKey(
            "\(bindingsTable).\(gesture.rawValue)", \.bindings[gesture],
            .text(what: "the type of a reaction, such as \"confetti\"", example: "confetti"),
            option: .bind(gesture),
            "The reaction that \(gesture.rawValue) triggers instead of \(usual)."
        ).with(withoutGestures)
    }
}
