import ArgumentParser
import Flourish

/// What is shown whatever hands do.
struct ReactionOptions: SettingArguments {
    @Flag(help: "Look for no gestures, and load no model; only what --reaction asks for is shown.")
    var noGestures = false

    @Option(
        help: ArgumentHelp(
            "A reaction to show, from a time (12.5, 1:30, 0:01:30.25) and at a place (0…1) of your choice; may be repeated.",
            valueName: "type[@time][,x,y]"),
        completion: ReactionArgument.completion, transform: ReactionArgument.reaction)
    var reaction: [ScheduledReaction] = []

    var values: KeyValuePairs<String, SettingValue?> { ["recognition.gestures": noGestures ? .flag(false) : nil] }

    func apply(to configuration: inout Configuration) {
        configuration.scheduledReactions = reaction
    }
}
