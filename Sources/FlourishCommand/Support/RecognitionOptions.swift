import ArgumentParser
import Flourish

/// The options of every command that looks for gestures.
struct RecognitionOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: .setting("recognition.hold", valueName: "s"))
    var hold: Double?

    @Option(parsing: .unconditional, help: .setting("recognition.cooldown", valueName: "s"))
    var cooldown: Double?

    @Option(help: ArgumentHelp(
        "A gesture that triggers nothing, built in or of your own; may be repeated.", valueName: "gesture"))
    var disable: [ReactionGesture] = []

    @OptionGroup var set: GestureSetOptions

    func apply(to settings: inout Settings) throws(FlourishError) {
        let builtIn = disable.filter(ReactionGesture.allCases.contains)
        try settings.set("recognition.hold", hold.map { .number($0) })
        try settings.set("recognition.cooldown", cooldown.map { .number($0) })
        try settings.set("recognition.disabled", builtIn.isEmpty ? nil : .list(builtIn.map(\.rawValue)))
        try settings.set("recognition.gestures-file", set.gestures.map { .text($0) })
    }

    /// Adds the user's own gestures, unless a file of others was named, and switches off those that `--disable` names.
    func addOwnGestures(to configuration: inout Configuration) throws(FlourishError) {
        let others = disable.filter { !ReactionGesture.allCases.contains($0) }
        // Without recognition they are read only to tell a name of one's own from a slip.
        let isNeeded = configuration.gesturesEnabled || !others.isEmpty
        if isNeeded, configuration.ownGestures.gestures.isEmpty, set.gestures == nil {
            configuration.ownGestures = try set.load()
        }
        let own = configuration.ownGestures.gestures.map(\.gesture)
        for gesture in others {
            guard own.contains(gesture) else {
                let known = (ReactionGesture.allCases + own).map(\.rawValue).joined(separator: ", ")
                throw FlourishError(.usage, "there is no gesture \(gesture.rawValue) to disable; choose one of \(known)")
            }
            configuration.disabledGestures.insert(gesture)
        }
    }
}
