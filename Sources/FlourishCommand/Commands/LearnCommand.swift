import ArgumentParser
import Flourish

/// `flourish learn`
struct LearnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learn",
        abstract: "Teach a gesture of your own from pictures or videos of hands that make it.",
        discussion: """
            A few pictures are enough, or a short video in which the hand is held still; different \
            people, angles and both hands help. --hands 2 stands for both hands of a person that \
            make the same sign.

            EXAMPLES
              flourish learn three --from three-*.jpg --reaction confetti
              flourish learn spock --from me.mp4 her.mp4 --reaction fireworks --hands 2
              flourish gestures list
            """)

    @Argument(help: "The gesture's name in events and for --disable.")
    var name: String

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "JPEG or PNG images, and videos.", valueName: "input"), completion: .file())
    var from: [String]

    @Option(help: ArgumentHelp("What the gesture triggers (see: flourish reactions).", valueName: "type"))
    var reaction: String

    @Option(help: ArgumentHelp("How many hands make it: 1 or 2.", valueName: "n"))
    var hands = 1

    @OptionGroup var set: GestureSetOptions

    func validate() throws {
        guard (1...2).contains(hands) else { throw ValidationError("--hands must be 1 or 2, not \(hands)") }
        guard !from.isEmpty else { throw ValidationError("--from needs at least one image or video") }
    }

    func run() async throws {
        try await Console.reportingErrors {
            var configuration = Configuration()
            configuration.ownGestures = try set.loadForEditing()
            let teacher = GestureTeacher(configuration: configuration)
            let interrupt = InterruptHandler { teacher.stop() }
            defer { interrupt.cancel() }
            let lesson = try await teacher.learn(
                name, from: from, reactionType: ReactionType(rawValue: reaction), handCount: hands)
            for remark in lesson.remarks { Console.warn(remark) }
            var own = configuration.ownGestures
            try own.add(lesson.gesture)
            try own.write(to: set.path)
            StandardOutput.print(
                "\(name) → \(reaction), from \(lesson.gesture.exampleCount) hands; kept in \(set.path)")
        }
    }
}
