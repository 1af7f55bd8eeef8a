import ArgumentParser
import FlourishControl

/// `flourish snooze`
struct SnoozeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snooze",
        abstract: "Not now: hold back the gestures of another flourish for a while.",
        discussion: """
            Start the other one with --control. For five minutes, or as long as you say, gestures trigger nothing; \
            perform works. flourish set gestureSnooze says how many seconds are left.

            EXAMPLES
              flourish snooze
              flourish snooze 20:00
              flourish snooze off --control /tmp/call.sock
            """)

    @Argument(
        help: "For how long: seconds, or 5:00; off ends it.",
        completion: .list(["5:00", "15:00", "1:00:00", "off"]))
    var time = SnoozeArgument(seconds: 300)

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        try await Console.reportingErrors {
            let request: [String: ControlValue] = [
                "command": .text("set"), "name": .text("gestureSnooze"), "value": .number(time.seconds),
            ]
            _ = try client.connect().ask(request)
        }
    }
}

/// A length of time, or `off`.
struct SnoozeArgument: ExpressibleByArgument {
    let seconds: Double

    init(seconds: Double) { self.seconds = seconds }

    init?(argument: String) {
        if argument == "off" {
            seconds = 0
        } else if let time = TimeArgument.seconds(argument), time >= 0 {
            seconds = time
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { "5:00" }
}
