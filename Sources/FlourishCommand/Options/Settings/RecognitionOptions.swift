import ArgumentParser
import Flourish

/// The options of every command that looks for gestures.
struct RecognitionOptions: SettingArguments {
    @Option(setting: "recognition.hold")
    var hold: TimeArgument?

    @Option(setting: "recognition.cooldown")
    var cooldown: TimeArgument?

    @Option(setting: "recognition.sensitivity", more: "A configuration file can set it for each gesture.")
    var sensitivity: Sensitivity?

    @Option(
        setting: "recognition.disabled", more: "They are built in or your own, as in victory,heart; may be repeated.")
    var disable: [GestureNames] = []

    @OptionGroup var set: GestureSetOptions

    var values: KeyValuePairs<String, SettingValue?> {
        [
            "recognition.hold": hold.map { .number($0.seconds) },
            "recognition.cooldown": cooldown.map { .number($0.seconds) },
            "recognition.sensitivity": sensitivity.map { .named($0) },
            "recognition.disabled": disable.isEmpty ? nil : .list(disable.flatMap(\.names)),
            "recognition.gestures-file": set.gestures.map { .text($0) },
        ]
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
