import ArgumentParser
import Flourish

/// The command `flourish plan import`. Adds the reactions that participants of a meeting sent to a plan.
struct PlanImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add the reactions of a meeting's log to a plan.",
        usage: "flourish plan import LOG PLAN [options]",
        discussion: """
            The log is BigBlueButton's events.xml, a chat of Zoom (.txt), messages of Teams with their reactions (JSON of \
            Microsoft Graph), or a table (.csv, .json) with the columns time, reaction, name and tile. \
            docs/plan-import.md describes them. Reactions that the plan has already are not added again.

            EXAMPLES
              flourish plan import events.xml call.plan.json
              flourish plan import chat.txt call.plan.json --map 👏=confetti
              flourish plan import meeting_saved_chat.txt call.plan.json --start 14:00:12 --tiles names.txt
            """)

    @Argument(help: "The log of the meeting.", completion: .file())
    var log: String

    @Argument(help: "The plan of the recording, which is changed.", completion: .file(extensions: ["json"]))
    var plan: String

    @Option(
        help: ArgumentHelp(
            "The time in the log at the recording's first frame: 14:00:12 for a chat with times of the day, 2024-02-13T09:00:00Z for dates, or seconds.",
            valueName: "time"))
    var start: String?

    @Option(
        help: ArgumentHelp(
            "A file with the tile of each person, in lines such as Jane Doe=3.", valueName: "file"),
        completion: .file())
    var tiles: String?

    @Option(
        help: ArgumentHelp(
            "The reaction of an emoji, or of a name in the log, instead of the usual one; repeatable.",
            valueName: "symbol=type"))
    var map: [SymbolBinding] = []

    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions

    func validate() throws {
        if plan == "-" { throw ValidationError("the plan is changed in place; name its file") }
    }

    func run() async throws {
        messages.name(log)
        let settings = try files.load(messages)
        let configuration = try settings.configuration()
        let catalog = try EffectCatalog(resources: configuration.resources ?? .located())
        try catalog.check(map.map(\.type).filter { $0.text == nil })
        let symbols = ReactionSymbols(
            catalog.types, given: Dictionary(map.map { ($0.symbol, $0.type) }) { $1 })
        let given = try start.map { text throws(FlourishError) in
            guard let time = MeetingLog.start(text) else {
                throw FlourishError(
                    .usage, "--start must be seconds, a time such as 14:00:12, or 2024-02-13T09:00:00Z, not '\(text)'")
            }
            return time
        }
        let people: PeopleTable? = if let tiles { try PeopleTable(contentsOf: tiles) } else { nil }
        var plan = try ReactionPlan(contentsOf: plan)
        let log = try MeetingLog(contentsOf: log, symbols: symbols)
        let changes = try plan.add(log, start: given, symbols: symbols, people: people)
        try plan.validate()
        if changes.added > 0 { try plan.write(to: self.plan, overwrite: true) }
        print(changes, Messages(settings))
    }

    private func print(_ changes: MeetingChanges, _ messages: Messages) {
        if messages.level >= .warning {
            if let first = changes.unknown.first {
                Console.warn(
                    "\(log): no reaction is known for \(Self.list(changes.unknown)); add one with --map '\(first.0)=TYPE'"
                )
            }
            if !changes.strangers.isEmpty, let tiles {
                Console.warn(
                    "\(log): \(tiles) has no tile for \(Self.list(changes.strangers)); their reactions cover the whole picture"
                )
            }
        }
        guard messages.progress != .none else { return }
        let others = [
            (changes.known, "there before"), (changes.outside, "outside the recording"),
            (changes.unrecorded, "sent while nothing was recorded"),
        ].filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
        Console.error("\(Wording.count(changes.added, "reaction")) added\(others) → \(plan)")
    }

    /// The number of names that a warning lists.
    private static let listed = 12

    /// Returns names with their counts: "👏 (4), 😂 (2) and 3 others".
    private static func list(_ counts: [(String, Int)]) -> String {
        let names = counts.prefix(listed).map { "\($0.0) (\($0.1))" }.joined(separator: ", ")
        let rest = counts.count - listed
        return rest > 0 ? "\(names) and \(Wording.count(rest, "other"))" : names
    }
}

/// A symbol and its reaction, such as `👏=confetti`.
struct SymbolBinding: ExpressibleByArgument {
    let symbol: String
    let type: ReactionType

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        let name = argument[argument.index(after: equals)...]
        guard !name.isEmpty else { return nil }
        (symbol, type) = (String(argument[..<equals]), ReactionType(rawValue: String(name)))
    }

    static var allValueStrings: [String] { ["symbol=type"] }
}
