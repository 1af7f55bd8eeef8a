import ArgumentParser
import Flourish
import FoundationEssentials

/// `flourish reactions`
struct ReactionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reactions",
        abstract: "List the reactions, the gesture of each and its system image name.",
        discussion: """
            EXAMPLES
              flourish reactions --json
              flourish reactions --effects effects --bind victory=bubbles
            """)

    @Flag(help: "Print JSON: an array with one object for each reaction.")
    var json = false

    @OptionGroup var folders: EffectFolderOptions
    @OptionGroup var binding: BindingOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions

    private struct Row: Encodable {
        var reactionType: ReactionType
        var gesture: ReactionGesture?
        var systemImageName: String
    }

    func run() async throws {
        try await Console.reportingErrors {
            let configuration = try files.load { settings throws(FlourishError) in
                try folders.apply(to: &settings)
                try binding.apply(to: &settings)
            }.configuration()
            let types = try ReactionSession(configuration: configuration).loadReactionTypes()
            try list(
                types.map { type in
                    let gesture = ReactionGesture.allCases.first { configuration.reactionType(for: $0) == type }
                    return Row(reactionType: type, gesture: gesture, systemImageName: type.systemImageName)
                })
        }
    }

    private func list(_ rows: [Row]) throws {
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            StandardOutput.print(String(decoding: try encoder.encode(rows), as: UTF8.self))
            return
        }
        func line(_ a: String, _ b: String, _ c: String) -> String {
            pad(a, 12) + pad(b, 15) + c
        }
        StandardOutput.print(line("REACTION", "GESTURE", "SYSTEM IMAGE"))
        for row in rows {
            StandardOutput.print(line(row.reactionType.rawValue, row.gesture?.rawValue ?? "-", row.systemImageName))
        }
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
