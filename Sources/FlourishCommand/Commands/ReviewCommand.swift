import ArgumentParser
import Flourish
import FlourishControl
import FoundationEssentials
import Platform

/// `flourish review`
struct ReviewCommand: AsyncParsableCommand, SandboxedCommand {
    static let configuration = CommandConfiguration(
        commandName: "review",
        abstract: "Review what was found in a recording in the browser, change it and render it.",
        discussion: """
            Serves a page, for this machine only, whose address goes to the standard error: the recording with a \
            timeline of its reactions and of the gestures that nearly fired. What you change is saved in the plan at \
            once (call.plan.json beside call.mp4); a plan that is there already is taken up again. Ctrl-C ends it.

            EXAMPLES
              flourish review call.mp4
              flourish review call.mp4 reacted.mp4 --open
            """)

    @Argument(help: "The recording; a file.", completion: .file())
    var input: String

    @Argument(
        help: "The video that Render writes (default: beside the recording, call.reacted.mp4 for call.mp4).",
        completion: .file())
    var output: String?

    @Flag(help: "Open the page in the browser.")
    var open = false

    @Option(
        help: ArgumentHelp(
            "Serve the page at a port, an address in digits, or both (default: this machine only, at a free port).",
            valueName: "address"))
    var address: String?

    @Option(
        help: ArgumentHelp(
            "Where the plan is kept (default: beside the recording, call.plan.json for call.mp4).", valueName: "path"),
        completion: .file(extensions: ["json"]))
    var plan: String?

    @OptionGroup var reactionSettings: ReactionSettings
    @OptionGroup(title: "Encoder") var encoder: RunEncoderOptions
    @OptionGroup(title: "Input") var inputFormat: InputFormatOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions
    @OptionGroup(title: "Sandbox") var sandbox: SandboxOptions

    var needs: SandboxNeeds {
        var needs = SandboxNeeds()
        // By default the output lies beside the recording.
        for path in [output ?? input, plan ?? ReactionPlan.path(for: input)] { needs.write(path) }
        needs.fill(SandboxNeeds.temporaryFolder)
        needs.usesNetwork = true
        needs.startsPrograms = open
        return needs
    }

    func run() async throws {
        try await Console.reportingErrors {
            let settings = try files.load(reactionSettings, encoder, inputFormat, messages)
            var configuration = try settings.configuration()
            try settings.addUsersGestures(to: &configuration)
            inputFormat.apply(to: &configuration)
            let place = try PanelAddress(address ?? "")
            ProcessMemory.shareBetweenThreads()
            let review = try Review(input, output: output, planPath: plan, configuration: configuration)
            let server = try await ReviewServer(address: place, review: review)
            let work = Task { await review.run() }
            let interrupt = InterruptHandler { work.cancel() }
            defer { interrupt.cancel() }
            Console.error("the review of \(input) is at \(server.url)")
            if open { Self.openBrowser(at: server.url) }
            await work.value
            await server.stop()
        }
    }

    /// Opens a page with `$BROWSER`, or with the desktop's opener; warns if there is neither.
    private static func openBrowser(at url: String) {
        let environment = ProcessInfo.processInfo.environment
        let named = environment["BROWSER"].flatMap { $0.split(separator: ":").first.map(String.init) }
        #if os(macOS)
        let usual = "open"
        #else
        let usual = "xdg-open"
        #endif
        let words = ["env"] + (named ?? usual).split(separator: " ").map(String.init) + [url]
        let variables = environment.map { "\($0.key)=\($0.value)" }
        guard let browser = ChildProcess("/usr/bin/env", words, environment: variables) else {
            return Console.warn("no browser could be started; open the address in one")
        }
        // Some openers run as long as the browser does.
        StageThread {
            let code = browser.wait()
            if code == 126 || code == 127 {
                Console.warn("no browser was found; open the address in one, or name it in $BROWSER")
            }
        }.detach()
    }
}
