import ArgumentParser
import Flourish
import FlourishControl

/// `flourish set`
struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change a setting of another flourish while it works, or show what is set.",
        discussion: """
            Start the other one with --control. Without a value, set shows the property, and without \
            a name all of them. You can set reactionEffectsEnabled, \
            reactionEffectGesturesEnabled, gestures.NAME (on or off), gestureSnooze (seconds), intensity (0 to 1) and calm.

            EXAMPLES
              flourish set
              flourish set reactionEffectGesturesEnabled off
              flourish set gestures.victory off --control /tmp/call.sock
              flourish set intensity 0.4
            """)

    @Argument(help: "The property.", completion: .list(Self.names))
    var name: String?

    @Argument(help: "on, off, or a number.")
    var value: String?

    @OptionGroup var client: ControlClientOptions

    private static let names =
        ["reactionEffectsEnabled", "reactionEffectGesturesEnabled", "gestureSnooze", "intensity", "calm"]
        + ReactionGesture.allCases.map { "gestures.\($0.rawValue)" }

    func run() async throws {
        try await Console.reportingErrors {
            let client = try client.connect()
            if let name, let value {
                _ = try client.ask(["command": .text("set"), "name": .text(name), "value": ControlValue(typed: value)])
                return
            }
            var request: [String: ControlValue] = ["command": .text("get")]
            request["name"] = name.map { .text($0) }
            guard let data = try client.ask(request).data?.value else {
                StandardOutput.print("null")
                return
            }
            if name == nil, case .object(let all) = data {
                for (name, value) in all.sorted(by: { $0.key < $1.key }) {
                    StandardOutput.print("\(name) \(value.plain)")
                }
            } else {
                StandardOutput.print(data.plain)
            }
        }
    }
}
