import ArgumentParser
import Flourish

/// `flourish detect`
struct DetectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detect",
        abstract: "Print the events that filter would write; draw and encode nothing.",
        discussion: """
            EXAMPLES
              flourish detect call.mp4
              flourish detect call.mp4 --hold 0.7 | jq 'select(.event == "effectStarted")'
            """)

    @Argument(help: "The video to read.", completion: .file())
    var input: String

    @Option(help: ArgumentHelp("Where events go; - is the standard output.", valueName: "path"))
    var events = "-"

    @OptionGroup(title: "Recognition") var recognition: RecognitionOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions

    func run() async throws {
        try await Console.reportingErrors {
            try OutputCheck.check(events: events, apartFrom: [input])
            var configuration = Configuration()
            recognition.apply(to: &configuration)
            try await SessionRunner(messages: messages, eventsPath: events, endsWithReader: true)
                .run(ReactionSession(configuration: configuration)) { session, observer in
                    try await session.detect(input, observer: observer)
                }
        }
    }
}
