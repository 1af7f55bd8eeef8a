import ArgumentParser
import Flourish

/// How reactions look.
struct StyleOptions: ParsableArguments {
    @Option(help: ArgumentHelp(
        "How much of everything (pieces, dark, light), 0 … 1.", valueName: "n"))
    var intensity = UnitNumber(argument: "1")!

    @Option(help: ArgumentHelp("The number that all random choices come from.", valueName: "n"))
    var seed: UInt64 = 1

    @Flag(help: "Reduced motion: a small icon that fades in and out stands for each reaction.")
    var calm = false

    @Option(help: ArgumentHelp(
        "Other colours: \(Palette.names.joined(separator: ", ")); or \"#hex,#hex,…\"; or a file.",
        valueName: "palette"))
    var palette: String?

    @Option(help: ArgumentHelp(
        "A folder with effects of your own, beside ~/.config/flourish/effects; may be repeated.",
        valueName: "folder"), completion: .directory)
    var effects: [String] = []

    /// - Throws: `FlourishError` for a palette that there is not.
    func style() throws -> ReactionStyle {
        ReactionStyle(
            intensity: intensity.value, isCalm: calm, palette: try palette.map { try Palette($0) })
    }

    /// The usual places and the folders that were named.
    var resources: Resources {
        var resources = Resources.located()
        resources.effectFolders += effects
        return resources
    }

    func apply(to configuration: inout Configuration) throws {
        configuration.style = try style()
        configuration.seed = seed
        configuration.resources = resources
    }
}

/// What gestures trigger.
struct BindingOptions: ParsableArguments {
    @Option(help: ArgumentHelp(
        "The reaction that a gesture triggers instead of its usual one; may be repeated.",
        valueName: "gesture=type"))
    var bind: [Binding] = []

    func apply(to configuration: inout Configuration) {
        for binding in bind { configuration.bindings[binding.gesture] = binding.reactionType }
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
    }
}

/// A number from 0 to 1.
struct UnitNumber: ExpressibleByArgument {
    let value: Double

    init?(argument: String) {
        guard let value = Double(argument), (0...1).contains(value) else { return nil }
        self.value = value
    }

    var defaultValueDescription: String { value == value.rounded() ? "\(Int(value))" : "\(value)" }
}
