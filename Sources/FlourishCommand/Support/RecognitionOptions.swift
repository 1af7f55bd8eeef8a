import ArgumentParser
import Flourish

/// The options of every command that looks for gestures.
struct RecognitionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How long a gesture must be held, in seconds.", valueName: "s"))
    var hold = Seconds(argument: "1")!

    @Option(help: ArgumentHelp(
        "How long the same reaction is not triggered again by a gesture, in seconds.", valueName: "s"))
    var cooldown = Seconds(argument: "3")!

    @Option(help: ArgumentHelp("A gesture that triggers nothing; may be repeated.", valueName: "gesture"))
    var disable: [ReactionGesture] = []

    func apply(to configuration: inout Configuration) {
        configuration.hold = hold.value
        configuration.cooldown = cooldown.value
        configuration.disabledGestures = Set(disable)
    }
}
