import ArgumentParser
import Flourish
import FlourishControl

/// `flourish cancel`
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End reactions in the video that another flourish is working on.",
        discussion: """
            Start the other one with --control. Without a name all that are in progress end.

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
            "One effect by its number, which effectStarted and flourish set reactionEffectsInProgress tell.",
            valueName: "n"))
    var id: Int?

    @OptionGroup var client: ControlClientOptions

    func validate() throws {
        if type != nil, id != nil { throw ValidationError("give a reaction's name or --id, not both") }
    }

    func run() async throws {
        try await Console.reportingErrors {
            var request: [String: ControlValue] = ["command": .text("cancel")]
            request["reactionType"] = type.map { .text($0) }
            request["id"] = id.map { .integer($0) }
            _ = try client.connect().ask(request)
        }
    }
}
