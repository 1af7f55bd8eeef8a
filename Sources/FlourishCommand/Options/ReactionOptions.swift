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

/// The options that choose the appearance of reactions: those of the table `effects`, apart from the groups below.
typealias StyleOptions = SettingOptions<StyleGroup>
/// The option that shows a gesture in progress.
typealias HoldRingOptions = SettingOptions<HoldRingGroup>
/// The options of the effects on the whole video.
typealias VideoEffectOptions = SettingOptions<VideoEffectGroup>
/// The option that mixes the sounds of reactions.
typealias SoundOptions = SettingOptions<SoundGroup>
/// The folders of the user's own effects.
typealias EffectFolderOptions = SettingOptions<EffectFolderGroup>

enum StyleGroup: SettingGroup {
    static let settings = SettingKey.options(
        of: "effects", beginningWith: ["effects.intensity", "effects.seed"],
        except: HoldRingGroup.settings + VideoEffectGroup.settings + SoundGroup.settings)
}

enum HoldRingGroup: SettingGroup { static let settings = [SettingKey.declared("effects.hold-ring")] }

enum VideoEffectGroup: SettingGroup {
    static let settings = [
        "effects.background", "effects.portrait", "effects.backgrounds", "effects.studio-light", "effects.auto-framing",
    ].map(SettingKey.declared)
}

enum SoundGroup: SettingGroup { static let settings = [SettingKey.declared("effects.sounds")] }

enum EffectFolderGroup: SettingGroup { static let settings = [SettingKey.declared("effects.folders")] }

// MARK: - Hooks

/// The options of commands that run at events.
typealias HookOptions = SettingOptions<HookGroup>

enum HookGroup: SettingGroup {
    static let settings = SettingKey.options(of: "hooks")
    /// The settings with commands.
    static let commands = ["hooks.on-reaction", "hooks.on-event"]
}

// MARK: - Recognition

/// The options of every command that recognises gestures: those of the table `recognition`, apart from `--no-gestures`
/// and the group below.
typealias RecognitionOptions = SettingOptions<RecognitionGroup>
/// The option for gestures of people who speak.
typealias SpeechOptions = SettingOptions<SpeechGroup>
/// The file of the user's own gestures.
typealias GestureSetOptions = SettingOptions<GestureSetGroup>

enum RecognitionGroup: SettingGroup {
    static let settings =
        SettingKey.options(
            of: "recognition",
            except: [.declared("recognition.gestures")] + SpeechGroup.settings + GestureSetGroup.settings)
        + GestureSetGroup.settings
}

enum SpeechGroup: SettingGroup { static let settings = [SettingKey.declared("recognition.while-speaking")] }

enum GestureSetGroup: SettingGroup { static let settings = [SettingKey.declared("recognition.gestures-file")] }

extension GestureSetOptions {
    /// Returns the settings of the configuration files, with the given file of gestures.
    func settings() throws(FlourishError) -> Settings {
        var settings = try Settings.load()
        try apply(to: &settings)
        return settings
    }
}

extension StyleOptions {
    /// The palette, as it is given; `nil` if none is.
    var palette: String? { text("effects.palette") }
}

extension RecognitionOptions {
    /// The file of gestures; `nil` if none is given.
    var gesturesFile: String? { text("recognition.gestures-file") }
}

extension SettingKey {
    /// Returns the settings of a table that have options.
    ///
    /// - Parameters:
    ///   - first: The names of the settings at the beginning; the others follow in the order of the documentation.
    ///   - others: Settings with groups of their own.
    static func options(
        of table: String, beginningWith first: [String] = [], except others: [SettingKey] = []
    ) -> [SettingKey] {
        let names = Set(others.map(\.name))
        return all.filter { $0.table == table && $0.spelling != nil && !names.contains($0.name) }.beginning(with: first)
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
    func load(_ style: StyleOptions, _ video: VideoEffectOptions, idle: Idle) throws(FlourishError) -> ReactionPlan? {
        guard let path = plan else { return nil }
        try refuse(idle)
        var plan = try ReactionPlan(contentsOf: path)
        try style.apply(to: &plan.style)
        try video.apply(to: &plan.style)
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
