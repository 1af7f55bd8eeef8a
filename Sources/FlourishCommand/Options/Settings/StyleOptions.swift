import ArgumentParser
import Flourish

/// How reactions look.
struct StyleOptions: SettingArguments {
    @Option(setting: "effects.intensity")
    var intensity: Double?

    @Option(setting: "effects.seed")
    var seed: Int?

    @Flag(setting: "effects.calm")
    var calm: Bool?

    @Option(
        setting: "effects.palette",
        more: "One of \(Palette.names.joined(separator: ", ")); or \"#hex,#hex,…\"; or a file.",
        completion: .list(Palette.names))
    var palette: String?

    @OptionGroup var folders: EffectFolderOptions

    var values: KeyValuePairs<String, SettingValue?> {
        [
            "effects.intensity": intensity.map { .number($0) }, "effects.seed": seed.map { .integer($0) },
            "effects.calm": calm.map { .flag($0) }, "effects.palette": palette.map { .text($0) },
            "effects.folders": folders.list,
        ]
    }

    /// Changes a plan's look where options ask for another.
    func apply(to plan: inout ReactionPlan.Style) throws(FlourishError) {
        if let intensity { plan.look.intensity = intensity }
        if let calm { plan.look.isCalm = calm }
        if let palette { plan.look.palette = try Palette(palette) }
        if let seed { plan.seed = UInt64(clamping: seed) }
    }
}

/// Where effects of somebody's own lie.
struct EffectFolderOptions: SettingArguments {
    @Option(setting: "effects.folders", more: "One each; may be repeated.", completion: .directory)
    var effects: [String] = []

    /// The folders as one setting.
    var list: SettingValue? { effects.isEmpty ? nil : .list(effects) }

    var values: KeyValuePairs<String, SettingValue?> { ["effects.folders": list] }
}

/// What gestures trigger.
struct BindingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The reaction that a gesture, built in or of your own, triggers instead of its usual one; may be repeated.",
            valueName: "gesture=type"))
    var bind: [Binding] = []

    func apply(to settings: inout Settings) throws(FlourishError) {
        for binding in bind {
            try settings.set(
                "bindings.\(binding.gesture.rawValue)", to: .text(binding.reactionType.rawValue))
        }
    }

    /// `victory=snow`
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

        static var defaultCompletionKind: CompletionKind {
            .list(
                ReactionGesture.allCases.flatMap { gesture in
                    ReactionType.builtIn.map { "\(gesture.rawValue)=\($0.rawValue)" }
                })
        }
    }
}
