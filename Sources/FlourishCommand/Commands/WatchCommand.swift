import ArgumentParser
import Flourish
import FlourishControl
import Platform

/// `flourish watch`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print the events of the video that another flourish is working on.",
        discussion: """
            Start the other one with --control. Or name a video, a file or an address, and watch prints the events that \
            --embed-metadata wrote into it. The first line says which effects are in progress; then come events as \
            they happen, until the video ends.

            EXAMPLES
              flourish watch
              flourish watch reacted.mp4
              flourish watch srt://127.0.0.1:9000
              flourish watch --control /tmp/call.sock | jq 'select(.event == "effectStarted")'
            """)

    @Argument(help: "A video with events in it; - is the standard input.", completion: .file())
    var video: String?

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        try await Console.reportingErrors {
            if let video {
                let reader = try EmbeddedEventReader(video)
                try LinePrinter.run(reader.nextLine)
            } else {
                let client = try client.connect()
                _ = try client.ask(["command": .text("observe")])
                try LinePrinter.run(client.nextLine)
            }
        }
    }
}

/// Passes lines on to the standard output.
enum LinePrinter {
    /// Returns when there is none any more, or nobody reads any more.
    static func run(_ nextLine: () throws(FlourishError) -> String?) throws(FlourishError) {
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
