import ArgumentParser
import Flourish

/// The command `flourish plan`, with the subcommands `make`, which is the default, `convert` and `import`.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Write the reactions of a recording to a plan, to edit and render.",
        usage: """
            flourish plan INPUT [--output PLAN] [options]
            flourish plan INPUT... --output-dir FOLDER [options]
            flourish plan convert FROM TO
            flourish plan import LOG PLAN
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
              flourish plan import events.xml call.plan.json
            """,
        subcommands: [PlanMakeCommand.self, PlanConvertCommand.self, PlanImportCommand.self],
        defaultSubcommand: PlanMakeCommand.self)
}

/// The command `flourish plan INPUT`. Writes the plan of one recording, or those of many into a folder.
struct PlanMakeCommand: AsyncParsableCommand, BriefHelp, SandboxedCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Analyse a recording and write its plan.")

    @OptionGroup var help: HelpOptions

    @Argument(
        help: "The recording, a file. With --output-dir: recordings, and folders of recordings.", completion: .file())
    var inputs: [String]

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

    @OptionGroup(title: "Many recordings", visibility: .advanced) var folder: FolderOptions
    @OptionGroup var reactions: ReactionOptions
    @OptionGroup var reactionSettings: ReactionSettings
    @OptionGroup(title: "Input", visibility: .advanced) var inputFormat: InputFormatOptions
    @OptionGroup(title: "Output") var outputs: OutputOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions
    @OptionGroup(title: "Sandbox") var sandbox: SandboxOptions

    func validate() throws {
        if outputDir != nil {
            try FolderOptions.refuseForMany([("--output", output != nil)], option: "--output-dir")
        }
    }

    /// The recording, or the first of many.
    private var input: String { inputs[0] }

    var needs: SandboxNeeds {
        var needs = SandboxNeeds()
        needs.read(input)
        needs.write(outputDir == nil ? output ?? ReactionPlan.path(for: input) : nil)
        needs.fill(outputDir)
        return needs
    }

    func run() async throws {
        if outputDir == nil {
            try folder.refuseForOne(input, more: inputs.dropFirst(), option: "--output-dir", output: "--output")
        }
        guard let outputDir else { return try await planOne() }
        let settings = try loadSettings()
        let request = try folder.request(inputs, into: outputDir, .plan, try configuration(settings))
        try await BatchRunner(messages: Messages(settings), isDryRun: folder.dryRun).run(request)
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

/// The command `flourish plan convert`. Writes a plan's markers to a file, or changes a plan according to a file of
/// markers.
struct PlanConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert a plan to the markers of an editing program, and back.",
        usage: """
            flourish plan convert PLAN MARKERS [options]
            flourish plan convert MARKERS PLAN [options]
            """,
        discussion: """
            The extension selects the format: .otio and .edl for DaVinci Resolve, .otio for Kdenlive, \
            .xml for Premiere Pro, .fcpxml for Final Cut Pro, .csv for spreadsheets, .vtt for web players. Enabled \
            reactions are green, others red. .otio, .edl and .csv can be imported again: a moved marker moves its reaction, \
            a deleted one disables it, and a new marker named like a reaction adds one. docs/plan-markers.md lists the menus.

            EXAMPLES
              flourish plan convert call.plan.json markers.edl
              flourish plan convert markers.edl call.plan.json
            """)

    @Argument(help: "A plan, or markers that an editing program exported.", completion: .file())
    var from: String

    @Argument(help: "The markers to write, or the plan to change.", completion: .file())
    var to: String

    @Option(
        help: ArgumentHelp(
            "The timeline's frame rate (default: the recording's, or 30 if that varies).", valueName: "number"))
    var frameRate: Double?

    @Option(
        help: ArgumentHelp(
            "The timecode of the timeline's first frame; for .edl (default: 01:00:00:00).", valueName: "timecode"))
    var startTimecode: String?

    @Flag(
        help: "Use drop-frame timecode, at 29.97 and 59.94 frames per second. An imported .edl declares it itself.")
    var dropFrame = false

    @OptionGroup(title: "Output") var outputs: OutputOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions

    func run() async throws {
        messages.name(from)
        let direction = try Direction(from: from, to: to)
        var options = MarkerOptions()
        options.frameRate = frameRate
        options.isDropFrame = dropFrame
        if let startTimecode {
            guard direction.format == .edl else {
                throw FlourishError(.usage, "--start-timecode applies to .edl only; remove it")
            }
            options.startTimecode = startTimecode
        }
        let settings = try files.load(outputs, messages)
        let configuration = try settings.configuration()
        let resources = configuration.resources ?? .located()
        switch direction {
        case .export(let format):
            try OutputCheck.check(to, input: from, overwrite: configuration.overwrite)
            var plan = try ReactionPlan(contentsOf: from)
            plan.source.path = recording(of: plan)
            let text = try plan.markers(as: format, options: options, resources: resources)
            try TextFile.write(text, to: to, overwrite: configuration.overwrite)
            let shown = plan.reactions.count(where: \.isEnabled)
            // Chapters of web players are the shown reactions only.
            let others = format == .webVTT ? 0 : plan.reactions.count - shown
            printSummary(
                others > 0 ? [(shown, "shown"), (others, "not shown")] : [(shown, "shown")], Messages(settings))
        case .update(let format):
            var plan = try ReactionPlan(contentsOf: to)
            let changes = try plan.apply(
                markers: try MarkerFile.read(from), from: format, name: from, options: options, resources: resources
            )
            if !changes.isEmpty { try plan.write(to: to, overwrite: true) }
            print(changes, Messages(settings))
        }
    }

    /// Returns the path of the recording: the path in the plan, or otherwise that of a file with the same name in the
    /// plan's folder.
    private func recording(of plan: ReactionPlan) -> String {
        let path = plan.source.path
        guard !OutputCheck.exists(path), let slash = from.lastIndex(of: "/") else { return path }
        let beside = from[...slash] + (path.split(separator: "/").last ?? "")
        return OutputCheck.exists(String(beside)) ? String(beside) : path
    }

    private func print(_ changes: MarkerChanges, _ messages: Messages) {
        if messages.level >= .warning {
            for marker in changes.skipped { Console.warn("\(from): \(marker); ignored") }
        }
        let counts = [
            (changes.moved, "moved"), (changes.changed, "changed"), (changes.switchedOff, "switched off"),
            (changes.switchedOn, "switched on"), (changes.added, "added"),
        ].filter { $0.0 > 0 }
        printSummary(counts, otherwise: "nothing changed", messages)
    }

    /// Prints the numbers of reactions, and the written file.
    private func printSummary(_ counts: [(Int, String)], otherwise: String = "", _ messages: Messages) {
        guard messages.progress != .none else { return }
        let summary = counts.map { "\($0) \($1)" }.joined(separator: ", ")
        Console.error("\(summary.isEmpty ? otherwise : summary) → \(to)")
    }

    /// The direction of the conversion, which follows from the kinds of both files.
    private enum Direction {
        case export(MarkerFormat)
        case update(MarkerFormat)

        var format: MarkerFormat {
            switch self {
            case .export(let format), .update(let format): format
            }
        }

        init(from: String, to: String) throws(FlourishError) {
            let endings = MarkerFormat.allCases.map { ".\($0.rawValue)" }.joined(separator: ", ")
            func isPlan(_ path: String) -> Bool { path.lowercased().hasSuffix(".json") }
            switch (isPlan(from), isPlan(to)) {
            case (true, true):
                throw FlourishError(
                    .usage, "\(to): both files are plans; give the markers one of the extensions \(endings)")
            case (false, false):
                throw FlourishError(
                    .usage,
                    "\(to): one file must be a plan (.json), the other must have one of the extensions \(endings)"
                )
            case (true, false):
                guard let format = MarkerFormat(path: to) else {
                    throw FlourishError(.usage, "\(to): unknown marker format; use one of the extensions \(endings)")
                }
                self = .export(format)
            case (false, true):
                guard let format = MarkerFormat(path: from) else {
                    throw FlourishError(
                        .usage, "\(from): unknown marker format; use one of the extensions .otio, .edl, .csv")
                }
                guard format.isReadable else {
                    throw FlourishError(
                        .usage,
                        "\(from): .\(format.rawValue) cannot be imported; export the markers as .otio, .edl or .csv")
                }
                self = .update(format)
            }
        }
    }
}
