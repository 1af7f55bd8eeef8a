import ArgumentParser
import Flourish
import Platform

/// The settings of every command that shows reactions to gestures: the appearance of reactions, and the gestures that
/// trigger them.
struct ReactionSettings: SettingArguments {
    @OptionGroup(title: "Effects") var style: StyleOptions
    @OptionGroup(title: "Recognition") var recognition: RecognitionOptions
    @OptionGroup(title: "Recognition") var speech: SpeechOptions
    @OptionGroup(title: "Recognition", visibility: .advanced) var binding: BindingOptions

    var values: [(name: String, value: SettingValue?)] {
        style.values + recognition.values + speech.values + binding.values
    }
}

// MARK: - Effects

/// The options that choose the appearance of reactions.
struct StyleOptions: SettingArguments {
    @Option(setting: "effects.intensity")
    var intensity: Double?

    @Option(setting: "effects.seed")
    var seed: Int?

    @Flag(setting: "effects.calm")
    var calm: Bool?

    @Flag(setting: "effects.limit-flashes")
    var limitFlashes: Bool?

    @Option(
        setting: "effects.palette",
        more: "One of \(Palette.names.joined(separator: ", ")); or \"#hex,#hex,…\"; or a file.",
        completion: .list(Palette.names))
    var palette: String?

    @OptionGroup var folders: EffectFolderOptions

    var values: [(name: String, value: SettingValue?)] {
        [
            ("effects.intensity", intensity.map { .number($0) }), ("effects.seed", seed.map { .integer($0) }),
            ("effects.calm", calm.map { .flag($0) }),
            ("effects.limit-flashes", limitFlashes.map { .flag($0) }), ("effects.palette", palette.map { .text($0) }),
        ] + folders.values
    }

    /// Replaces the parts of a plan's style that the options set.
    func apply(to plan: inout ReactionPlan.Style) throws(FlourishError) {
        if let intensity { plan.look.intensity = intensity }
        if let calm { plan.look.isCalm = calm }
        if let palette { plan.look.palette = try Palette(palette) }
        if let seed { plan.seed = UInt64(clamping: seed) }
    }
}

/// The option that shows a gesture in progress.
struct HoldRingOptions: SettingArguments {
    @Option(setting: "effects.hold-ring")
    var holdRing: HoldRingVisibility?

    var values: [(name: String, value: SettingValue?)] { [("effects.hold-ring", holdRing.map { .named($0) })] }
}

/// The options of the effects on the whole video.
struct VideoEffectOptions: SettingArguments {
    @Option(setting: "effects.portrait", valueWithout: VideoEffects.usualPortrait)
    var portrait: Double?

    @Option(setting: "effects.studio-light", valueWithout: VideoEffects.usualStudioLight)
    var studioLight: Double?

    var values: [(name: String, value: SettingValue?)] {
        [
            ("effects.portrait", portrait.map { .number($0) }),
            ("effects.studio-light", studioLight.map { .number($0) }),
        ]
    }
}

/// The option that mixes the sounds of reactions.
struct SoundOptions: SettingArguments {
    @Option(setting: "effects.sounds", valueWithout: Configuration.usualSoundLevel)
    var sounds: Double?

    var values: [(name: String, value: SettingValue?)] { [("effects.sounds", sounds.map { .number($0) })] }
}

/// The folders of the user's own effects.
struct EffectFolderOptions: SettingArguments {
    @Option(setting: "effects.folders", more: "One per option; repeatable.", completion: .directory)
    var effects: [String] = []

    var values: [(name: String, value: SettingValue?)] { [("effects.folders", effects.isEmpty ? nil : .list(effects))] }
}

// MARK: - Recognition

/// The options of every command that recognises gestures.
struct RecognitionOptions: SettingArguments {
    @Option(setting: "recognition.hold")
    var hold: TimeArgument?

    @Option(setting: "recognition.cooldown")
    var cooldown: TimeArgument?

    @Option(setting: "recognition.sensitivity", more: "A configuration file can set it per gesture.")
    var sensitivity: Sensitivity?

    @Option(
        setting: "recognition.disabled", more: "Built-in or custom gestures, as in victory,heart; repeatable.")
    var disable: [GestureNames] = []

    @Option(
        setting: "recognition.layout",
        more: "auto detects them; single is one picture; or a grid such as 3x2; or a file.",
        completion: .list(["auto", "single"]))
    var layout: String?

    @OptionGroup var set: GestureSetOptions

    var values: [(name: String, value: SettingValue?)] {
        [
            ("recognition.hold", hold.map { .number($0.seconds) }),
            ("recognition.cooldown", cooldown.map { .number($0.seconds) }),
            ("recognition.sensitivity", sensitivity.map { .named($0) }),
            ("recognition.disabled", disable.isEmpty ? nil : .list(disable.flatMap(\.names))),
            ("recognition.layout", layout.map { .text($0) }),
            ("recognition.gestures-file", set.gestures.map { .text($0) }),
        ]
    }

    /// The names of gestures, such as `victory` or `victory,heart`.
    struct GestureNames: ExpressibleByArgument {
        let names: [String]

        init?(argument: String) {
            let gestures = argument.split(separator: ",", omittingEmptySubsequences: false)
                .map { ReactionGesture(rawValue: String($0)) }
            guard !gestures.contains(nil) else { return nil }
            names = gestures.compactMap { $0?.rawValue }
        }

        static var defaultCompletionKind: CompletionKind { .gestures }
    }
}

/// The option for gestures of people who speak.
struct SpeechOptions: SettingArguments {
    @Option(setting: "recognition.while-speaking")
    var whileSpeaking: SpeechPolicy?

    var values: [(name: String, value: SettingValue?)] {
        [("recognition.while-speaking", whileSpeaking.map { .named($0) })]
    }
}

/// The file of the user's own gestures.
struct GestureSetOptions: ParsableArguments {
    @Option(setting: "recognition.gestures-file", completion: .file(extensions: ["json"]))
    var gestures: String?

    /// Returns the settings of the configuration files, with the given file of gestures.
    func settings() throws(FlourishError) -> Settings {
        var settings = try Settings.load()
        if let gestures { try settings.set("recognition.gestures-file", to: .text(gestures)) }
        return settings
    }
}

/// The options that bind gestures to reactions.
struct BindingOptions: SettingArguments {
    @Option(
        help: ArgumentHelp(
            "The reaction that a built-in or custom gesture triggers instead of its default; repeatable.",
            valueName: "gesture=type"))
    var bind: [Binding] = []

    var values: [(name: String, value: SettingValue?)] {
        bind.map { ("bindings.\($0.gesture.rawValue)", .text($0.reactionType.rawValue)) }
    }

    /// A gesture and its reaction, such as `victory=snow`.
    struct Binding: ExpressibleByArgument {
        let gesture: ReactionGesture
        let reactionType: ReactionType

        init?(argument: String) {
            let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty,
                let gesture = ReactionGesture(rawValue: String(parts[0]))
            else { return nil }
            self.gesture = gesture
            reactionType = ReactionType(rawValue: String(parts[1]))
        }

        static var allValueStrings: [String] { ReactionGesture.allCases.map { $0.rawValue + "=type" } }

        static var defaultCompletionKind: CompletionKind { .gestureBindings }
    }
}

/// The option that reports gestures that almost triggered a reaction.
struct CandidateOptions: ParsableArguments {
    @Flag(help: "Write an event for each gesture that almost triggered, with the reason why it did not.")
    var candidates = false

    /// Refuses the option if no gestures are recognised.
    func refuse(beside reactions: ReactionOptions) throws {
        if candidates, reactions.noGestures {
            throw ValidationError("--candidates has no effect with --no-gestures; remove one")
        }
    }

    func apply(to configuration: inout Configuration) {
        configuration.reportsCandidates = candidates
    }
}

// MARK: - Without gestures

/// The reactions that a run shows at given times.
struct ReactionOptions: SettingArguments {
    @Flag(
        help: ArgumentHelp(
            "Do not detect gestures; show only the reactions of --reaction. No model is loaded.", visibility: .advanced
        ))
    var noGestures = false

    @Option(
        help: ArgumentHelp(
            "A reaction to show at a time (12.5, 1:30, 0:01:30.25) and, optionally, a position (0…1); repeatable.",
            valueName: "type[@time][,x,y]"),
        completion: .reactions, transform: ReactionArgument.reaction)
    var reaction: [ReactionArgument] = []

    var values: [(name: String, value: SettingValue?)] { [("recognition.gestures", noGestures ? .flag(false) : nil)] }

    /// Schedules the reactions. The start of the input must already be set in the configuration.
    func apply(to configuration: inout Configuration) {
        let start = configuration.input.start
        configuration.scheduledReactions = reaction.map { $0.scheduled(from: start) }
    }
}

/// The plan that a run renders.
struct PlanOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Render this plan, made with flourish plan, instead of detecting gestures; - is the standard input. With --output-dir, a folder of plans.",
            valueName: "plan.json"),
        completion: .file(extensions: ["json"]))
    var plan: String?

    /// Options that have no effect together with a plan, each with a Boolean value that indicates whether it is given.
    /// `planned` contains the options that `flourish plan` has, too.
    typealias Idle = (planned: [(String, Bool)], others: [(String, Bool)])

    /// Reads the plan and applies the options that change its style; `nil` if no plan is given.
    func load(_ style: StyleOptions, idle: Idle) throws(FlourishError) -> ReactionPlan? {
        guard let path = plan else { return nil }
        try refuse(idle)
        var plan = try ReactionPlan(contentsOf: path)
        try style.apply(to: &plan.style)
        return plan
    }

    /// Refuses the options in `idle`, and a plan that is a file. Many recordings need a folder of plans.
    func checkFolder(idle: Idle) throws(FlourishError) {
        try refuse(idle)
        guard let plan, FileKind.of(plan) != S_IFDIR else { return }
        throw FlourishError(
            .usage, "\(plan): is not a folder; name the output folder of flourish plan --output-dir")
    }

    private func refuse(_ idle: Idle) throws(FlourishError) {
        let planned = idle.planned.first(where: \.1)?.0
        guard let option = planned ?? idle.others.first(where: \.1)?.0 else { return }
        let remedy = planned != nil ? "make the plan again with \(option), or edit it" : "leave \(option) out"
        throw FlourishError(
            .usage, "\(option) and --plan cannot be combined: a plan holds all reactions of a recording; \(remedy)"
        )
    }
}
