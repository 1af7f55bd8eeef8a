import ArgumentParser
import Flourish
import FlourishControl

/// `flourish perform`
struct PerformCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "perform",
        abstract: "Show a reaction in the video that another flourish is working on.",
        discussion: """
            Start the other one with --control.

            EXAMPLES
              flourish perform balloons
              flourish perform heart --at 0.3,0.5 --control /tmp/call.sock
            """)

    @Argument(
        help: "The reaction's name; see flourish reactions.", completion: .list(ReactionType.builtIn.map(\.rawValue)))
    var type: String

    @Option(help: ArgumentHelp("Where it starts, 0…1 of the picture.", valueName: "x,y"))
    var at: PlaceArgument?

    @OptionGroup var client: ControlClientOptions

    func run() async throws {
        try await Console.reportingErrors {
            var request: [String: ControlValue] = ["command": .text("perform"), "reactionType": .text(type)]
            if let at { request["origin"] = .object(["x": .number(at.point.x), "y": .number(at.point.y)]) }
            _ = try client.connect().ask(request)
        }
    }
}
