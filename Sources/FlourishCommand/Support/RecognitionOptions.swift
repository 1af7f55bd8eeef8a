import ArgumentParser
import Flourish

/// The options of every command that looks for gestures.
struct RecognitionOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: .setting("recognition.hold", valueName: "s"))
    var hold: Double?

    @Option(parsing: .unconditional, help: .setting("recognition.cooldown", valueName: "s"))
    var cooldown: Double?

    @Option(help: ArgumentHelp("A gesture that triggers nothing; may be repeated.", valueName: "gesture"))
    var disable: [ReactionGesture] = []

    func apply(to settings: inout Settings) throws(FlourishError) {
        try settings.set("recognition.hold", hold.map { .number($0) })
        try settings.set("recognition.cooldown", cooldown.map { .number($0) })
        try settings.set("recognition.disabled", disable.isEmpty ? nil : .list(disable.map(\.rawValue)))
    }
}
