import ArgumentParser
import Flourish

/// The command `flourish learn`. Adds a gesture to the user's file of custom gestures, or changes it there.
struct LearnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learn",
        abstract: "Learn a custom gesture from pictures or videos of hands that make it.",
        discussion: """
            A few pictures are enough, or a short video in which the hand is held still. Different \
            people, angles and both hands improve detection. With --hands 2, both hands of a person \
            make the same sign.

            EXAMPLES
              flourish learn three --from three-*.jpg --reaction confetti
              flourish learn spock --from me.mp4 her.mp4 --reaction fireworks --hands 2
              flourish learn three --from more-*.jpg --add
              flourish gestures
            """)

    @Argument(help: "The gesture's name in events and for --disable.")
    var name: String

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "JPEG or PNG images, and videos.", valueName: "input"), completion: .file())
    var from: [String]

    @Option(
        help: ArgumentHelp(
            "The reaction that the gesture triggers (see: flourish reactions); optional for a gesture that exists.",
            valueName: "type"), completion: .reactions)
    var reaction: String?

    @Option(
        help: ArgumentHelp(
            "The number of hands: 1 or 2 (default: 1, or that of the existing gesture).", valueName: "n"))
    var hands: Int?

    @Flag(help: "Add the hands to the examples of the existing gesture.")
    var add = false

    @Flag(help: "Replace the examples of the existing gesture.")
    var replace = false

    @OptionGroup var set: GestureSetOptions

    func validate() throws {
        if let hands, !(1...2).contains(hands) { throw ValidationError("--hands must be 1 or 2, not \(hands)") }
        if add && replace { throw ValidationError("--add and --replace cannot be combined; use one") }
        guard !from.isEmpty else { throw ValidationError("--from requires at least one image or video") }
    }

    func run() async throws {
        let settings = try set.settings()
        try settings.requireGestures()
        let configuration = try settings.teachingConfiguration()
        let former = ReactionGesture(rawValue: name).flatMap { configuration.ownGestures[$0] }
        if former != nil, !add, !replace {
            throw FlourishError(
                .usage,
                "the gesture \(name) exists already; use --add or --replace, or choose another name")
        }
        guard let type = reaction.map(ReactionType.init(rawValue:)) ?? former?.reactionType else {
            throw FlourishError(.usage, "\(name) is a new gesture; name its reaction with --reaction")
        }
        let teacher = GestureTeacher(configuration: configuration)
        let interrupt = InterruptHandler { teacher.stop() }
        defer { interrupt.cancel() }
        let lesson = try await teacher.learn(
            name, from: from, reactionType: type, handCount: hands ?? former?.handCount ?? 1,
            knownAlready: add ? .added : .replaced)
        for remark in lesson.remarks { Console.warn(remark) }
        var own = configuration.ownGestures
        own.replace(lesson.gesture)
        try own.write(to: settings.gesturesPath)
        StandardOutput.print(
            "\(name) → \(type), from \(lesson.gesture.exampleCount) hands; saved in \(settings.gesturesPath)")
    }
}

/// The command `flourish gestures`. Lists the gestures in the user's file, or removes one.
struct GesturesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gestures",
        abstract: "List custom gestures, or remove one.",
        discussion: """
            EXAMPLES
              flourish gestures --json
              flourish gestures --remove three
            """)

    @Option(help: ArgumentHelp("Remove a gesture.", valueName: "name"), completion: .learnedGestures)
    var remove: String?

    @Flag(help: "Print JSON: an array with one object for each gesture.")
    var json = false

    @OptionGroup var set: GestureSetOptions

    func validate() throws {
        if remove != nil, json { throw ValidationError("--remove and --json cannot be combined; use one") }
    }

    private struct Row: Encodable {
        var gesture: ReactionGesture
        var reactionType: ReactionType
        var hands: Int
        var examples: Int
    }

    func run() async throws {
        let settings = try set.settings()
        var own = try settings.ownGestures()
        if let remove {
            try own.remove(remove)
            try own.write(to: settings.gesturesPath)
        } else {
            try list(own)
        }
    }

    private func list(_ own: GestureSet) throws {
        let rows = own.gestures.map {
            Row(gesture: $0.gesture, reactionType: $0.reactionType, hands: $0.handCount, examples: $0.exampleCount)
        }
        if json { return try StandardOutput.print(json: rows) }
        if rows.isEmpty { StandardOutput.print("no custom gestures; see: flourish learn --help") }
        for row in rows {
            let hands = row.hands == 1 ? "one hand" : "both hands"
            StandardOutput.print("\(row.gesture.rawValue) → \(row.reactionType)  (\(hands), \(row.examples) examples)")
        }
    }
}
