import ArgumentParser
import Flourish

/// How reactions look.
struct StyleOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: .setting("effects.intensity", valueName: "n"))
    var intensity: Double?

    @Option(parsing: .unconditional, help: .setting("effects.seed", valueName: "n"))
    var seed: Int?

    @Flag(inversion: .prefixedNo, help: .setting("effects.calm"))
    var calm: Bool?

    @Option(
        help: .setting(
            "effects.palette", valueName: "palette",
            more: "One of \(Palette.names.joined(separator: ", ")); or \"#hex,#hex,…\"; or a file."),
        completion: .list(Palette.names))
    var palette: String?

    @OptionGroup var folders: EffectFolderOptions

    func apply(to settings: inout Settings) throws(FlourishError) {
        try settings.set("effects.intensity", intensity.map { .number($0) })
        try settings.set("effects.seed", seed.map { .integer($0) })
        try settings.set("effects.calm", calm.map { .flag($0) })
        try settings.set("effects.palette", palette.map { .text($0) })
        try folders.apply(to: &settings)
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
struct EffectFolderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A folder with effects of your own, beside ~/.config/flourish/effects; may be repeated.",
            valueName: "folder"), completion: .directory)
    var effects: [String] = []

    func apply(to settings: inout Settings) throws(FlourishError) {
        try settings.set("effects.folders", effects.isEmpty ? nil : .list(effects))
    }
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
                "bindings.\(binding.gesture.rawValue)", .text(binding.reactionType.rawValue))
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
