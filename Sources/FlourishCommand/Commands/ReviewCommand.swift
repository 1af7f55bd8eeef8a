import ArgumentParser
import Flourish
import FlourishControl
import FoundationEssentials
import Platform

/// The command `flourish review`. Serves the page on which a recording's plan is edited and rendered, until it is
/// interrupted.
struct ReviewCommand: AsyncParsableCommand, SandboxedCommand {
    static let configuration = CommandConfiguration(
        commandName: "review",
        abstract: "Review, edit and render the reactions of a recording in the browser.",
        discussion: """
            Serves a page to this machine only, and prints its address on the standard error. The page shows the recording with a \
            timeline of its reactions and of the gestures that almost triggered. Changes are saved in the plan immediately \
            (call.plan.json beside call.mp4); an existing plan is opened. Ctrl-C ends the review.

            EXAMPLES
              flourish review call.mp4
              flourish review call.mp4 reacted.mp4 --open
            """)

    @Argument(help: "The recording, a file.", completion: .file())
    var input: String

    @Argument(
        help: "The video that Render writes (default: beside the recording, call.reacted.mp4 for call.mp4).",
        completion: .file())
    var output: String?

    @Flag(help: "Open the page in the browser.")
    var open = false

    @Option(
        help: ArgumentHelp(
            "The port, the numeric address, or both (default: this machine only, on a free port).",
            valueName: "address"))
    var address: String?

    @Option(
        help: ArgumentHelp(
            "The plan file (default: beside the recording, call.plan.json for call.mp4).", valueName: "path"),
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
        // By default the output is in the recording's folder.
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
            Console.error("review of \(input): \(server.url)")
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
            return Console.warn("no browser could be started; open the address yourself")
        }
        // Some openers run for as long as the browser does.
        StageThread {
            let code = browser.wait()
            if code == 126 || code == 127 {
                Console.warn("no browser was found; open the address yourself, or set BROWSER")
            }
        }.detach()
    }
}
