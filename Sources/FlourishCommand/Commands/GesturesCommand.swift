import ArgumentParser
import Flourish
import FoundationEssentials

/// `flourish gestures`
struct GesturesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gestures",
        abstract: "List or remove the gestures of your own.",
        discussion: """
            EXAMPLES
              flourish gestures list --json
              flourish gestures remove three
            """,
        subcommands: [List.self, Remove.self], defaultSubcommand: List.self)

    /// `flourish gestures list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the gestures of your own.")

        @Flag(help: "Print JSON: an array with one object for each gesture.")
        var json = false

        @OptionGroup var set: GestureSetOptions

        private struct Row: Encodable {
            var gesture: ReactionGesture
            var reactionType: ReactionType
            var hands: Int
            var examples: Int
        }

        func run() async throws {
            try await Console.reportingErrors {
                let rows = try set.settings().ownGestures().gestures.map {
                    Row(
                        gesture: $0.gesture, reactionType: $0.reactionType, hands: $0.handCount,
                        examples: $0.exampleCount)
                }
                if json {
                    let encoder = JSONEncoder()
                    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                    StandardOutput.print(String(decoding: try encoder.encode(rows), as: UTF8.self))
                } else if rows.isEmpty {
                    StandardOutput.print("no gestures of your own; see: flourish learn --help")
                }
                for row in rows where !json {
                    let hands = row.hands == 1 ? "one hand" : "both hands"
                    StandardOutput.print(
                        "\(row.gesture.rawValue) → \(row.reactionType)  (\(hands), \(row.examples) examples)")
                }
            }
        }
    }

    /// `flourish gestures remove`
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Forget a gesture of your own.")

        @Argument(help: "The gesture's name.")
        var name: String

        @OptionGroup var set: GestureSetOptions

        func run() async throws {
            try await Console.reportingErrors {
                let settings = try set.settings()
                var own = try settings.ownGestures()
                try own.remove(name)
                try own.write(to: settings.gesturesPath)
            }
        }
    }
}
