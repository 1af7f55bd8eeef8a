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
    var reaction: [ReactionArgument] = []

    var values: KeyValuePairs<String, SettingValue?> { ["recognition.gestures": noGestures ? .flag(false) : nil] }

    /// Puts in what is shown; where reading begins is put in before.
    func apply(to configuration: inout Configuration) {
        let start = configuration.input.start
        configuration.scheduledReactions = reaction.map { $0.scheduled(from: start) }
    }
}
