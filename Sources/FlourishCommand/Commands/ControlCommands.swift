import ArgumentParser
import Flourish
import FlourishControl
import Platform

/// The option that names the control socket of a running flourish.
struct ControlClientOptions: ParsableArguments {
    @Option(
        name: [.customLong("control"), .customLong("control-socket")],
        help: ArgumentHelp(
            "The control socket of the running flourish (default: $FLOURISH_CONTROL, or else $XDG_RUNTIME_DIR/flourish.sock).",
            valueName: "path"),
        completion: .file())
    var control: String?

    func connect() throws(FlourishError) -> ControlClient {
        try ControlClient(path: ControlServer.path(control))
    }
}

/// `flourish perform`
struct PerformCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "perform",
        abstract: "Show a reaction in the video of a running flourish.",
        discussion: """
            Start that one with --control.

            EXAMPLES
              flourish perform balloons
              flourish perform heart --at 0.3,0.5 --control /tmp/call.sock
            """)

    @Argument(
        help: "The reaction's name; see flourish reactions.", completion: .list(ReactionType.builtIn.map(\.rawValue)))
    var type: String

    @Option(help: ArgumentHelp("The position where it starts, as fractions of the picture (0…1).", valueName: "x,y"))
    var at: PicturePoint?

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        try await Console.reportingErrors {
            var request: [String: ControlValue] = ["command": .text("perform"), "reactionType": .text(type)]
            request["origin"] = at?.controlValue
            try client.connect().ask(request)
        }
    }
}

/// `flourish cancel`
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End reactions in the video of a running flourish.",
        discussion: """
            Start that one with --control. Without a name, all reactions in progress end.

            EXAMPLES
              flourish cancel
              flourish cancel rain
              flourish cancel --id 7
            """)

    @Argument(
        help: "The reaction's name; see flourish reactions.", completion: .list(ReactionType.builtIn.map(\.rawValue)))
    var type: String?

    @Option(
        help: ArgumentHelp(
            "The id of one effect, from the event effectStarted or from flourish set reactionEffectsInProgress.",
            valueName: "n"))
    var id: Int?

    @OptionGroup var client: ControlClientOptions

    func validate() throws {
        if type != nil, id != nil { throw ValidationError("a reaction's name and --id cannot be combined; use one") }
    }

    func run() async throws {
        try await Console.reportingErrors {
            var request: [String: ControlValue] = ["command": .text("cancel")]
            request["reactionType"] = type.map { .text($0) }
            request["id"] = id.map { .integer($0) }
            try client.connect().ask(request)
        }
    }
}

/// `flourish snooze`
struct SnoozeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snooze",
        abstract: "Disable the gestures of a running flourish for a while.",
        discussion: """
            Start that one with --control. Gestures trigger nothing for five minutes, or for the given time; \
            perform still works. flourish set gestureSnooze prints the remaining seconds.

            EXAMPLES
              flourish snooze
              flourish snooze 20:00
              flourish snooze off --control /tmp/call.sock
            """)

    @Argument(
        help: "The duration: seconds, or 5:00; off ends the snooze.",
        completion: .list(["5:00", "15:00", "1:00:00", "off"]))
    var time = SnoozeArgument(seconds: 300)

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        try await Console.reportingErrors {
            let request: [String: ControlValue] = [
                "command": .text("set"), "name": .text("gestureSnooze"), "value": .number(time.seconds),
            ]
            try client.connect().ask(request)
        }
    }
}

/// A duration, or `off`.
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

/// `flourish set`
struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change or print properties of a running flourish.",
        discussion: """
            Start that one with --control. Without a value, set prints the property, and without \
            a name, all of them. Writable properties: reactionEffectsEnabled, \
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
                try client.ask(["command": .text("set"), "name": .text(name), "value": ControlValue(typed: value)])
                return
            }
            var request: [String: ControlValue] = ["command": .text("get")]
            request["name"] = name.map { .text($0) }
            let data = try client.ask(request)
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

/// `flourish watch`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print the events of a running flourish, or those embedded in a video.",
        discussion: """
            Start that one with --control. Or give a video, as a file or an address, to print the events that \
            --embed-metadata wrote into it. The first line lists the effects in progress; the events follow as \
            they happen, until the video ends.

            EXAMPLES
              flourish watch
              flourish watch reacted.mp4
              flourish watch srt://127.0.0.1:9000
              flourish watch --control /tmp/call.sock | jq 'select(.event == "effectStarted")'
            """)

    @Argument(help: "A video with embedded events; - is the standard input.", completion: .file())
    var video: String?

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        try await Console.reportingErrors {
            if let video {
                let reader = try EmbeddedEventReader(video)
                try Self.print(reader.nextLine)
            } else {
                let client = try client.connect()
                try client.ask(["command": .text("observe")])
                try Self.print(client.nextLine)
            }
        }
    }

    /// Prints lines until the end of the input, or until the reader of the standard output closes it.
    private static func print(_ nextLine: () throws(FlourishError) -> String?) throws(FlourishError) {
        signal(SIGPIPE, SIG_IGN)
        while let line = try nextLine() {
            switch DescriptorOutput.write(Array((line + "\n").utf8), to: STDOUT_FILENO) {
            case 0: break
            case EPIPE: return
            default: throw FlourishError(.inputOutput, "the standard output cannot be written")
            }
        }
    }
}
