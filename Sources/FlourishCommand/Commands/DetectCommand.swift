import ArgumentParser
import Flourish
import Platform

/// The command `flourish detect`. Writes the events of one recording, or of many into a folder; writes no video.
struct DetectCommand: AsyncParsableCommand, BriefHelp, SandboxedCommand {
    static let configuration = CommandConfiguration(
        commandName: "detect",
        abstract: "Print the events of a video, without drawing or encoding.",
        usage: """
            flourish detect INPUT [options]
            flourish detect INPUT... --events-dir FOLDER [options]
            """,
        discussion: """
            EXAMPLES
              flourish detect call.mp4
              flourish detect call.mp4 --hold 0.7 | jq 'select(.event == "effectStarted")'
              flourish detect meeting.mp4 --summary
            """)

    @OptionGroup var help: HelpOptions

    @Argument(
        help: "The video to read; - is the standard input. With --events-dir: recordings, and folders of recordings.",
        completion: .file())
    var inputs: [String] = []

    @Option(
        help: ArgumentHelp(
            "Write the events of many recordings, and of folders of recordings, into this folder.",
            valueName: "folder"),
        completion: .directory)
    var eventsDir: String?

    @Option(
        help: ArgumentHelp(
            "The file for the events, which is replaced; - is the standard output (default: -; with --summary: none).",
            valueName: "path"),
        completion: .file())
    var events: String?

    @Flag(help: "Print the reactions at the end, by the tiles of a gallery, instead of the events.")
    var summary = false

    @Flag(help: "With --summary: print one JSON object.")
    var json = false

    @OptionGroup(title: "Many recordings", visibility: .advanced) var folder: FolderOptions
    @OptionGroup var reactions: ReactionOptions
    @OptionGroup var reactionSettings: ReactionSettings
    @OptionGroup(title: "Recognition", visibility: .advanced) var candidates: CandidateOptions
    @OptionGroup(title: "Hooks", visibility: .advanced) var hooks: HookOptions
    @OptionGroup(title: "Remote control", visibility: .advanced) var remote: RemoteOptions
    @OptionGroup(title: "Input") var trim: TrimOptions
    @OptionGroup(title: "Input", visibility: .advanced) var inputFormat: InputFormatOptions
    @OptionGroup(title: "Live", visibility: .advanced) var live: LiveOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions
    @OptionGroup(title: "Sandbox") var sandbox: SandboxOptions

    func validate() throws {
        guard !inputs.isEmpty else {
            throw ValidationError("Missing expected argument '<input>'" + remote.remedyForMissingArgument)
        }
        try candidates.refuse(beside: reactions)
        if json, !summary { throw ValidationError("--json requires --summary") }
        if summary, events == "-" { throw ValidationError("--summary and --events - cannot be combined; use one") }
        if eventsDir == nil { return }
        try FolderOptions.refuseForMany(
            [
                ("--events", events != nil), ("--summary", summary), ("--live", live.live), ("--stats", live.stats),
                (remote.name, remote.isGiven),
            ], option: "--events-dir")
    }

    /// The video to read, or the first of many.
    private var input: String { inputs[0] }

    /// The path of the event log; `nil` for none.
    private var eventsPath: String? { events ?? (summary ? nil : "-") }

    /// Returns the reason why the run may find no reaction. Returns `nil` if no final line is printed, because the
    /// events are written to an open descriptor such as the standard output.
    private func quietReason(_ configuration: Configuration) -> RunReport.Quiet? {
        if !summary, eventsPath.flatMap(DescriptorOutput.descriptor) != nil { return nil }
        return RunReport.Quiet(configuration)
    }

    var needs: SandboxNeeds {
        var needs = SandboxNeeds()
        needs.read(input)
        needs.write(eventsPath)
        needs.fill(eventsDir)
        needs.serve(remote)
        needs.run(hooks, files)
        return needs
    }

    func run() async throws {
        if eventsDir == nil {
            try folder.refuseForOne(input, more: inputs.dropFirst(), option: "--events-dir")
        }
        let settings = try files.load(reactions, reactionSettings, inputFormat, hooks, messages)
        var configuration = try settings.configurationWithUsersGestures()
        trim.apply(to: &configuration)
        reactions.apply(to: &configuration)
        inputFormat.apply(to: &configuration)
        live.apply(to: &configuration)
        candidates.apply(to: &configuration)
        if let eventsDir {
            let request = try folder.request(inputs, into: eventsDir, .events, configuration)
            return try await BatchRunner(
                messages: Messages(settings), isDryRun: folder.dryRun, hooks: configuration.hooks
            ).run(request)
        }
        messages.name(input)
        try OutputCheck.check(
            eventsPath, of: "--events", apartFrom: [input, files.config, reactionSettings.recognition.gesturesFile])
        let source = try CameraInput.open(input, &configuration)
        try await SessionRunner(
            messages: Messages(settings), input: input, eventsPath: eventsPath, endsWithReader: !summary,
            hooks: configuration.hooks, summary: summary ? (json ? .json : .text) : nil,
            quietReason: quietReason(configuration)
        )
        .run(ReactionSession(configuration: configuration), remote: remote) { session, observer in
            try await session.detect(source, observer: observer)
        }
    }
}
