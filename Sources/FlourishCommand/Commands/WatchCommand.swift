import ArgumentParser
import Flourish
import FlourishControl
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// `flourish watch`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print the events of the video that another flourish is working on.",
        discussion: """
            The other one must have been started with --control. The first line tells which effects \
            are in progress; then come events as they happen, until the video ends.

            EXAMPLES
              flourish watch
              flourish watch --control /tmp/call.sock | jq 'select(.event == "effectStarted")'
            """)

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        try await Console.reportingErrors {
            try ControlWatcher.run(client.connect())
        }
    }
}

/// Passes the lines of a control socket on to the standard output.
enum ControlWatcher {
    /// Returns when the other side ends, or nobody reads any more.
    static func run(_ client: ControlClient) throws(FlourishError) {
        signal(SIGPIPE, SIG_IGN)
        _ = try client.ask(["command": .text("observe")])
        while let line = try client.nextLine() {
            switch DescriptorOutput.write(Array((line + "\n").utf8), to: STDOUT_FILENO) {
            case 0: break
            case EPIPE: return
            default: throw FlourishError(.inputOutput, "the standard output cannot be written")
            }
        }
    }
}
