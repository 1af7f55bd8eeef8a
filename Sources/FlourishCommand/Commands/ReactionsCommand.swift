import ArgumentParser
import Flourish
import FoundationEssentials

/// `flourish reactions`
struct ReactionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reactions",
        abstract: "List the reactions, the gesture of each and its system image name.")

    @Flag(help: "Print JSON: an array with one object for each reaction.")
    var json = false

    private struct Row: Encodable {
        var reactionType: ReactionType
        var gesture: ReactionGesture?
        var systemImageName: String
    }

    func run() throws {
        let rows = ReactionSession().availableReactionTypes.map {
            Row(reactionType: $0, gesture: $0.gesture, systemImageName: $0.systemImageName)
        }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            print(String(decoding: try encoder.encode(rows), as: UTF8.self))
            return
        }
        func line(_ a: String, _ b: String, _ c: String) -> String {
            pad(a, 12) + pad(b, 15) + c
        }
        print(line("REACTION", "GESTURE", "SYSTEM IMAGE"))
        for row in rows {
            print(line(row.reactionType.rawValue, row.gesture?.rawValue ?? "-", row.systemImageName))
        }
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
