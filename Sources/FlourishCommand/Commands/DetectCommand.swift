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

    @Argument(help: "The video to read; - is the standard input.", completion: .file())
    var input: String

    @Option(
        help: ArgumentHelp("Where events go; what is there is replaced; - is the standard output.", valueName: "path"),
        completion: .file())
    var events = "-"

    @OptionGroup(title: "Effects") var style: StyleOptions
    @OptionGroup(title: "Recognition") var recognition: RecognitionOptions
    @OptionGroup(title: "Recognition") var binding: BindingOptions
    @OptionGroup(title: "Recognition") var candidates: CandidateOptions
    @OptionGroup(title: "Remote control") var remote: RemoteOptions
    @OptionGroup(title: "Input") var stretch: StretchOptions
    @OptionGroup(title: "Input") var inputFormat: InputFormatOptions
    @OptionGroup(title: "Live") var live: LiveOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions

    func run() async throws {
        try await Console.reportingErrors {
            messages.name(input)
            try OutputCheck.check(events, of: "--events", apartFrom: [input])
            let settings = try files.load { settings throws(FlourishError) in
                try style.apply(to: &settings)
                try recognition.apply(to: &settings)
                try binding.apply(to: &settings)
                try inputFormat.apply(to: &settings)
                try messages.apply(to: &settings)
            }
            var configuration = try settings.configuration()
            try recognition.addOwnGestures(to: &configuration)
            stretch.apply(to: &configuration)
            inputFormat.apply(to: &configuration)
            live.apply(to: &configuration)
            candidates.apply(to: &configuration)
            try await SessionRunner(
                messages: Messages(settings), input: input, eventsPath: events, endsWithReader: true
            )
            .run(ReactionSession(configuration: configuration), remote: remote) { session, observer in
                try await session.detect(input, observer: observer)
            }
        }
    }
}
