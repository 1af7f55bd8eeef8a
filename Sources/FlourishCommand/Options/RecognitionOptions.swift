import ArgumentParser
import Flourish

/// The options of every command that looks for gestures.
struct RecognitionOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: .setting("recognition.hold", valueName: "s"))
    var hold: Double?

    @Option(parsing: .unconditional, help: .setting("recognition.cooldown", valueName: "s"))
    var cooldown: Double?

    @Option(
        help: .setting(
            "recognition.sensitivity", valueName: "level", more: "A configuration file can set it for each gesture."))
    var sensitivity: Sensitivity?

    @Option(
        help: ArgumentHelp(
            "A gesture that triggers nothing, built in or of your own; may be repeated.", valueName: "gesture"))
    var disable: [ReactionGesture] = []

    @OptionGroup var set: GestureSetOptions

    func apply(to settings: inout Settings) throws(FlourishError) {
        try settings.set("recognition.hold", hold.map { .number($0) })
        try settings.set("recognition.cooldown", cooldown.map { .number($0) })
        try settings.set("recognition.sensitivity", sensitivity.map { .text($0.rawValue) })
        try settings.set("recognition.disabled", disable.isEmpty ? nil : .list(disable.map(\.rawValue)))
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
