import ArgumentParser
import Flourish

/// The options of every command that looks for gestures.
struct RecognitionOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: .setting("recognition.hold", valueName: "s"))
    var hold: TimeArgument?

    @Option(parsing: .unconditional, help: .setting("recognition.cooldown", valueName: "s"))
    var cooldown: TimeArgument?

    @Option(
        help: .setting(
            "recognition.sensitivity", valueName: "level", more: "A configuration file can set it for each gesture."))
    var sensitivity: Sensitivity?

    @Option(
        help: ArgumentHelp(
            "Gestures that trigger nothing, built in or of your own, such as victory,heart; may be repeated.",
            valueName: "gesture,…"))
    var disable: [GestureNames] = []

    @OptionGroup var set: GestureSetOptions

    func apply(to settings: inout Settings) throws(FlourishError) {
        try settings.set("recognition.hold", hold.map { .number($0.seconds) })
        try settings.set("recognition.cooldown", cooldown.map { .number($0.seconds) })
        try settings.set("recognition.sensitivity", sensitivity.map { .text($0.rawValue) })
        try settings.set("recognition.disabled", disable.isEmpty ? nil : .list(disable.flatMap(\.names)))
        try settings.set("recognition.gestures-file", set.gestures.map { .text($0) })
    }

    /// The options, and whether each was given.
    var given: [(String, Bool)] {
        [
            ("--hold", hold != nil), ("--cooldown", cooldown != nil), ("--sensitivity", sensitivity != nil),
            ("--disable", !disable.isEmpty), ("--gestures", set.gestures != nil),
        ]
    }

    /// Adds the user's own gestures, unless a file of others was named.
    func addOwnGestures(to configuration: inout Configuration) throws(FlourishError) {
        guard configuration.gesturesEnabled, configuration.ownGestures.gestures.isEmpty, set.gestures == nil else {
            return
        }
        configuration.ownGestures = try set.load()
    }
}

/// `victory`, or `victory,heart`
struct GestureNames: ExpressibleByArgument {
    let names: [String]

    init?(argument: String) {
        let gestures = argument.split(separator: ",", omittingEmptySubsequences: false)
            .map { ReactionGesture(rawValue: String($0)) }
        guard !gestures.contains(nil) else { return nil }
        names = gestures.compactMap { $0?.rawValue }
    }

    static var defaultCompletionKind: CompletionKind { .list(ReactionGesture.allCases.map(\.rawValue)) }
}
