import ArgumentParser
import Flourish

/// The command `flourish reactions`. Prints the reactions and their gestures.
struct ReactionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reactions",
        abstract: "List the reactions with their gestures, built-in and learned, and SF Symbols names.",
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
        /// All gestures that trigger it, built-in and custom.
        var gestures: [ReactionGesture]
        var systemImageName: String?
    }

    func run() async throws {
        let configuration = try files.load(folders, binding).configurationWithUsersGestures()
        let session = ReactionSession(configuration: configuration)
        try list(
            try session.loadReactionTypes().map { type in
                let gestures = session.availableGestures.filter { configuration.reactionType(for: $0) == type }
                return Row(
                    reactionType: type, gesture: gestures.first, gestures: gestures,
                    systemImageName: type.systemImageName)
            })
    }

    private func list(_ rows: [Row]) throws {
        if json { return try StandardOutput.print(json: rows) }
        let cells = rows.map { row in
            [
                row.reactionType.rawValue,
                row.gestures.isEmpty ? "-" : row.gestures.map(\.rawValue).joined(separator: ", "),
                row.systemImageName ?? "-",
            ]
        }
        StandardOutput.print(columns: [["REACTION", "GESTURES", "SYSTEM IMAGE"]] + cells) { max($0 == 0 ? 10 : 13, $1) }
    }
}
