import ArgumentParser
import Flourish
import FlourishControl
import FoundationEssentials
import Platform

/// The command `flourish review`. Serves the page on which a recording's plan is edited and rendered, until it is
/// interrupted.
struct ReviewCommand: AsyncParsableCommand, BriefHelp, SandboxedCommand {
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

    @OptionGroup var help: HelpOptions

    @Argument(help: "The recording, a file.", completion: .file())
    var input: String

    @Argument(
        help: "The video that Render writes (default: beside the recording, call.reacted.mp4 for call.mp4).",
        completion: .file())
    var output: String?

    @OptionGroup var page: PageOptions

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
        needs.startsPrograms = page.open
        return needs
    }

    func run() async throws {
        let settings = try files.load(reactionSettings, encoder, inputFormat, messages)
        var configuration = try settings.configurationWithUsersGestures()
        inputFormat.apply(to: &configuration)
        let place = try page.place()
        ProcessMemory.shareBetweenThreads()
        let review = try Review(input, output: output, planPath: plan, configuration: configuration)
        let server = try await PageServer(address: place, review: review)
        await page.show("review of \(input)", server.url) { await review.run() }
        await server.stop()
    }
}
