import ArgumentParser
import Flourish

/// The command `flourish plan`, with the subcommands `make`, which is the default, and `convert`.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Write the reactions of a recording to a plan, to edit and render.",
        usage: """
            flourish plan INPUT [--output PLAN] [options]
            flourish plan INPUT... --output-dir FOLDER [options]
            flourish plan convert FROM TO
            """,
        discussion: """
            A plan is a JSON file with the time, position and gesture of every reaction. Gestures that almost triggered \
            are included as disabled reactions. Disable ("enabled": false), move or add reactions, then render the plan \
            with filter --plan. docs/plan.md describes the fields; flourish plan make --help lists the options.

            EXAMPLES
              flourish plan call.mp4
              flourish filter call.mp4 reacted.mp4 --plan call.plan.json
              flourish plan call.mp4 --hold 0.7 --output - | jq '.reactions[].reactionType'
              flourish plan convert call.plan.json markers.edl
            """,
        subcommands: [PlanMakeCommand.self, PlanConvertCommand.self],
        defaultSubcommand: PlanMakeCommand.self)
}

/// The command `flourish plan INPUT`. Writes the plan of one recording, or those of many into a folder.
struct PlanMakeCommand: AsyncParsableCommand, SandboxedCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Analyse a recording and write its plan.")

    @Argument(help: "The recording, a file.", completion: .file())
    var input: String

    @Argument(help: "With --output-dir: more recordings, and folders of recordings.", completion: .file())
    var more: [String] = []

    @Option(
        help: ArgumentHelp(
            "Write the plans of many recordings, and of folders of recordings, into this folder.",
            valueName: "folder"),
        completion: .directory)
    var outputDir: String?

    @Option(
        name: [.long, .customShort("o")],
        help: ArgumentHelp(
            "The plan file; - is the standard output (default: beside the recording, call.plan.json for call.mp4).",
            valueName: "path"),
        completion: .file(extensions: ["json"]))
    var output: String?

    @OptionGroup(title: "Many recordings") var folder: FolderOptions
    @OptionGroup var reactions: ReactionOptions
    @OptionGroup var reactionSettings: ReactionSettings
    @OptionGroup(title: "Input") var inputFormat: InputFormatOptions
    @OptionGroup(title: "Output") var outputs: OutputOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions
    @OptionGroup(title: "Sandbox") var sandbox: SandboxOptions

    func validate() throws {
        if outputDir == nil { return try folder.refuseForOne(input, more: more, option: "--output-dir", of: Self.self) }
        try FolderOptions.refuseForMany([("--output", output != nil)], option: "--output-dir")
    }

    var needs: SandboxNeeds {
        var needs = SandboxNeeds()
        needs.read(input)
        needs.write(outputDir == nil ? output ?? ReactionPlan.path(for: input) : nil)
        needs.fill(outputDir)
        return needs
    }

    func run() async throws {
        try await Console.reportingErrors {
            guard let outputDir else { return try await planOne() }
            let settings = try loadSettings()
            let request = try folder.request([input] + more, into: outputDir, .plan, try configuration(settings))
            try await BatchRunner(messages: Messages(settings), isDryRun: folder.dryRun).run(request)
        }
    }

    private func planOne() async throws {
        messages.name(input)
        let path = output ?? ReactionPlan.path(for: input)
        try OutputCheck.check(path, of: "--output", apartFrom: [input])
        let settings = try loadSettings()
        let configuration = try configuration(settings)
        // An existing file is refused before the analysis rather than after it.
        if path != "-" { try OutputCheck.check(path, input: input, overwrite: configuration.overwrite) }
        let (runner, overwrite) = (
            SessionRunner(messages: Messages(settings), input: input, eventsPath: nil), configuration.overwrite
        )
        try await runner.run(ReactionSession(configuration: configuration)) { session, observer in
            let (plan, outcome) = try await session.planning(input, observer: observer)
            if path == "-" {
                StandardOutput.print(plan.json, ending: "")
            } else {
                try plan.write(to: path, overwrite: overwrite)
                if runner.messages.progress != .none { Console.error(Self.summary(of: plan, at: path)) }
            }
            return outcome
        }
        try StandardOutput.check()
    }

    private func loadSettings() throws(FlourishError) -> Settings {
        try files.load(reactions, reactionSettings, outputs, inputFormat, messages)
    }

    private func configuration(_ settings: Settings) throws(FlourishError) -> Configuration {
        var configuration = try settings.configurationWithUsersGestures()
        inputFormat.apply(to: &configuration)
        reactions.apply(to: &configuration)
        return configuration
    }

    /// Returns the numbers of reactions and candidates, and the path.
    private static func summary(of plan: ReactionPlan, at path: String) -> String {
        let shown = plan.reactions.count(where: \.isEnabled)
        let missed = plan.reactions.count - shown
        return
            "\(Wording.count(shown, "reaction")), and \(Wording.count(missed, "gesture")) that almost triggered → \(path)"
    }
}
