import ArgumentParser
import Flourish
import FlourishControl
import FoundationEssentials
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

/// The command `flourish perform`. Requests a reaction from a running flourish, by its control socket.
struct PerformCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "perform",
        abstract: "Show a reaction in the video of a running flourish.",
        discussion: """
            Start that one with --control. Prints the id of the effect, which flourish cancel --id accepts. A reaction \
            that is in progress continues with another burst.

            EXAMPLES
              flourish perform balloons
              flourish perform heart --at 0.3,0.5 --control /tmp/call.sock
              flourish perform confetti --time 1:30
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
        try await Console.reportingErrors {
            var request: [String: JSONValue] = ["command": .text("perform"), "reactionType": .text(type)]
            request["origin"] = at?.jsonValue
            request["time"] = time.map { .number($0.seconds) }
            if let id = try client.connect().ask(request)["id"] { StandardOutput.print(id.plain) }
        }
    }
}

/// The command `flourish cancel`. Ends reactions of a running flourish, by its control socket.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End reactions in the video of a running flourish.",
        discussion: """
            Start that one with --control. all, or no name, ends all reactions in progress.

            EXAMPLES
              flourish cancel all
              flourish cancel rain
              flourish cancel --id 7
            """)

    @Argument(
        help: "The reaction's name, or all; see flourish reactions.", completion: .runningReactions)
    var type: String?

    @Option(
        help: ArgumentHelp(
            "The id of one effect, from flourish perform or the event effectStarted.", valueName: "n"))
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
        try await Console.reportingErrors {
            var request: [String: JSONValue] = ["command": .text("cancel")]
            if let type, type != "all" { request["reactionType"] = .text(type) }
            request["id"] = id.map { .integer($0) }
            request["time"] = time.map { .number($0.seconds) }
            try client.connect().ask(request)
        }
    }
}

/// The command `flourish quit`. Ends the run of a running flourish, by its control socket.
struct QuitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quit",
        abstract: "End the run of a running flourish as if its input ended now.",
        discussion: """
            Start that one with --control. It finishes its output and exits with 0.

            EXAMPLES
              flourish quit
              flourish quit --control /tmp/call.sock
            """)

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        try await Console.reportingErrors { try client.connect().ask(["command": .text("quit")]) }
    }
}

/// The command `flourish snapshot`. Requests a frame from a running flourish, and writes it to a file.
struct SnapshotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Write the next frame of a running flourish's output as PNG.",
        discussion: """
            Start that one with --control.

            EXAMPLES
              flourish snapshot now.png
              flourish snapshot - --control /tmp/call.sock | display
            """)

    @Argument(help: "The PNG file, which must not exist; - for the standard output.", completion: .file())
    var output: String

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        try await Console.reportingErrors {
            // The client writes the file, because the running program may have another working directory and other
            // rights.
            guard case .text(let text)? = try client.connect().ask(["command": .text("snapshot")])["png"],
                let png = Data(base64Encoded: text)
            else { throw FlourishError(.internal, "the reply has no picture") }
            guard output != "-" else {
                guard DescriptorOutput.write(Array(png), to: STDOUT_FILENO) == 0 else {
                    throw FlourishError(.inputOutput, "the standard output cannot be written")
                }
                return
            }
            do { try png.write(to: URL(filePath: output), options: .withoutOverwriting) } catch {
                let exists = FileManager.default.fileExists(atPath: output)
                throw FlourishError(
                    .outputUnavailable,
                    exists
                        ? "\(output) exists; choose another path" : "\(output) cannot be written; choose another path")
            }
        }
    }
}

/// The command `flourish snooze`. Disables the gestures of a running flourish for a time, by its control socket.
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
            let request: [String: JSONValue] = [
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

/// The command `flourish set`. Changes or prints properties of a running flourish, by its control socket.
struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change or print properties of a running flourish.",
        discussion: """
            Start that one with --control. Without a value, set prints the property, and without \
            a name, all of them. Writable properties: reactionEffectsEnabled, reactionEffectGesturesEnabled, \
            gestures.NAME and calm (on or off), gestureSnooze, hold and cooldown (seconds), intensity (0 to 1), \
            sensitivity (low, normal, high), palette (a name, or colours), bindings.NAME (a reaction), disabled \
            (gestures, separated by commas), and camera (a name, of flourish camera). default resets palette and \
            bindings.NAME, and selects the first camera. Several NAME=VALUE apply with the same frame.

            EXAMPLES
              flourish set
              flourish set reactionEffectGesturesEnabled off
              flourish set gestures.victory off --control /tmp/call.sock
              flourish set intensity 0.4
              flourish set hold=0.6 sensitivity=high palette=ocean
            """)

    @Argument(help: "The property, or several NAME=VALUE.", completion: .properties)
    var name: String?

    @Argument(help: "The value: on, off, a number or a name.", completion: .propertyValues)
    var values: [String] = []

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        try await Console.reportingErrors {
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
        default: JSONValue(typed: text)
        }
    }
}

/// The command `flourish watch`. Prints the events of a running flourish, or those embedded in a video.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print the events of a running flourish, or those embedded in a video.",
        discussion: """
            Start that one with --control. Or give a video, as a file or an address, to print the events that \
            --embed-metadata wrote into it. The start of the stream and the effects in progress come first; the events follow as \
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
