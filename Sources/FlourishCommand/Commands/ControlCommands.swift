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

/// The command `flourish control`. Its subcommands are clients of a running flourish.
struct ControlClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "control",
        abstract: "Control a running flourish, or follow its events.",
        discussion: """
            Start that one with --control.

            EXAMPLES
              flourish control perform balloons
              flourish control set gestureSnooze 5:00
              flourish control watch | jq .event
            """,
        subcommands: [
            PerformCommand.self, CancelCommand.self, SetCommand.self, WatchCommand.self, QuitCommand.self,
        ])
}

/// The command `flourish control perform`. Requests a reaction from a running flourish, by its control socket.
struct PerformCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "perform",
        abstract: "Show a reaction in the video of a running flourish.",
        discussion: """
            Prints the id of the effect, which flourish control cancel --id accepts. A reaction \
            that is in progress continues with another burst.

            EXAMPLES
              flourish control perform balloons
              flourish control perform heart --at 0.3,0.5 --control /tmp/call.sock
              flourish control perform confetti --time 1:30
            """)

    @Argument(
        help: "The reaction's name; see flourish reactions.", completion: .reactions)
    var type: String

    @Option(help: ArgumentHelp("The position where it starts, as fractions of the picture (0…1).", valueName: "x,y"))
    var at: PicturePoint?

    @Option(
        help: ArgumentHelp(
            "The time on the video's clock at which it starts, instead of now: seconds, or 1:30.", valueName: "time"))
    var time: TimeArgument?

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        var request: [String: JSONValue] = ["command": .text("perform"), "reactionType": .text(type)]
        request["origin"] = at?.jsonValue
        request["time"] = time.map { .number($0.seconds) }
        if let id = try client.connect().ask(request)["id"] { StandardOutput.print(id.plain) }
    }
}

/// The command `flourish control cancel`. Ends reactions of a running flourish, by its control socket.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End reactions in the video of a running flourish.",
        discussion: """
            all, or no name, ends all reactions in progress.

            EXAMPLES
              flourish control cancel all
              flourish control cancel rain
              flourish control cancel --id 7
            """)

    @Argument(
        help: "The reaction's name, or all; see flourish reactions.", completion: .runningReactions)
    var type: String?

    @Option(
        help: ArgumentHelp(
            "The id of one effect, from flourish control perform or the event effectStarted.", valueName: "n"))
    var id: Int?

    @Option(
        help: ArgumentHelp(
            "The time on the video's clock at which they end, instead of now: seconds, or 1:30.", valueName: "time"))
    var time: TimeArgument?

    @OptionGroup var client: ControlClientOptions

    func validate() throws {
        if type != nil, id != nil { throw ValidationError("a reaction's name and --id cannot be combined; use one") }
    }

    func run() async throws {
        var request: [String: JSONValue] = ["command": .text("cancel")]
        if let type, type != "all" { request["reactionType"] = .text(type) }
        request["id"] = id.map { .integer($0) }
        request["time"] = time.map { .number($0.seconds) }
        try client.connect().ask(request)
    }
}

/// The command `flourish control quit`. Ends the run of a running flourish, by its control socket.
struct QuitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quit",
        abstract: "End the run of a running flourish as if its input ended now.",
        discussion: """
            It finishes its output and exits with 0.

            EXAMPLES
              flourish control quit
              flourish control quit --control /tmp/call.sock
            """)

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        try client.connect().ask(["command": .text("quit")])
    }
}

/// The command `flourish control set`. Changes or prints properties of a running flourish, by its control socket.
struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change or print properties of a running flourish.",
        discussion: """
            Without a value, set prints the property, and without a name, all of them. Writable properties: \
            reactionEffectsEnabled, reactionEffectGesturesEnabled, gestures.NAME and calm (on or off), gestureSnooze (for \
            how long gestures trigger nothing: on for five minutes, 20:00, or off), hold and cooldown (seconds), \
            intensity (0 to 1), sensitivity (low, normal, high), palette (a name, or colours), bindings.NAME (a \
            reaction), disabled (gestures, separated by commas), and camera (a name, of flourish camera). default resets palette and \
            bindings.NAME, and selects the first camera. Several NAME=VALUE apply with the same frame.

            EXAMPLES
              flourish control set
              flourish control set reactionEffectGesturesEnabled off
              flourish control set gestures.victory off --control /tmp/call.sock
              flourish control set gestureSnooze 5:00
              flourish control set intensity 0.4
              flourish control set hold=0.6 sensitivity=high palette=ocean
            """)

    @Argument(help: "The property, or several NAME=VALUE.", completion: .properties)
    var name: String?

    @Argument(help: "The value: on, off, a number or a name.", completion: .propertyValues)
    var values: [String] = []

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        let changes = try changes()
        let client = try client.connect()
        if !changes.isEmpty {
            try client.ask(["command": .text("set"), "values": .object(changes)])
            return
        }
        var request: [String: JSONValue] = ["command": .text("get")]
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

    /// The properties to change, with their values; empty to print.
    private func changes() throws(FlourishError) -> [String: JSONValue] {
        guard let name else { return [:] }
        guard name.contains("=") else {
            guard let value = values.first else { return [:] }
            guard values.count == 1 else { throw FlourishError(.usage, "give one value, or several NAME=VALUE") }
            return [name: Self.value(value, of: name)]
        }
        var changes: [String: JSONValue] = [:]
        for pair in [name] + values {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw FlourishError(.usage, "'\(pair)' is not NAME=VALUE") }
            changes[parts[0]] = Self.value(parts[1], of: parts[0])
        }
        return changes
    }

    private static func value(_ text: String, of name: String) -> JSONValue {
        switch name {
        case "disabled": .array(text.split(separator: ",").map { .text(String($0)) })
        case _ where text == "default": .null
        case "gestureSnooze": TimeArgument.seconds(text).map { .number($0) } ?? JSONValue(typed: text)
        default: JSONValue(typed: text)
        }
    }
}

/// The command `flourish control watch`. Prints the events of a running flourish, or those embedded in a video.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print the events of a running flourish, or those embedded in a video.",
        discussion: """
            Give a video, as a file or an address, to print the events that --embed-metadata wrote into it. The \
            start of the stream and the effects in progress come first; the events follow as they happen, until the \
            video ends.

            EXAMPLES
              flourish control watch
              flourish control watch reacted.mp4
              flourish control watch srt://127.0.0.1:9000
              flourish control watch --control /tmp/call.sock | jq 'select(.event == "effectStarted")'
            """)

    @Argument(help: "A video with embedded events; - is the standard input.", completion: .file())
    var video: String?

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        if let video {
            let reader = try EmbeddedEventReader(video)
            try Self.print(reader.nextLine)
        } else {
            let client = try client.connect()
            try client.ask(["command": .text("observe")])
            try Self.print(client.nextLine)
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
