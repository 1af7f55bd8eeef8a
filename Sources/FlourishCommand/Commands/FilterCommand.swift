import ArgumentParser
import Camera
import Flourish
import FoundationEssentials
import Platform

/// The command `flourish filter`, and `flourish INPUT OUTPUT`. Writes one video with reactions, or many into a folder,
/// and, on request, events, cues, a report and photographs.
struct FilterCommand: AsyncParsableCommand, BriefHelp, SandboxedCommand {
    static let configuration = CommandConfiguration(
        commandName: "filter",
        abstract: "Detect gestures in a video, and draw reactions over it.",
        usage: """
            flourish filter INPUT OUTPUT [options]
            flourish filter INPUT... --output-dir FOLDER [options]
            """,
        discussion: """
            Flourish decodes the video, detects gestures, draws reactions, and encodes the video. \
            For recordings, only the segments with reactions are encoded where possible (--smart-render). \
            Audio, subtitles, chapters and all other streams are copied. \
            The output's extension selects the container: .mp4, .mov, .mkv, .webm, .ts, .avi and others.

            EXAMPLES
              flourish filter call.mp4 reacted.mp4
              flourish filter call.mp4 reacted.mp4 --events - | jq .event
              ffmpeg -i call.mp4 -f nut - | flourish filter - - | ffplay -
              flourish filter phone.mov out.mp4 --codec hevc --crf 26
              flourish filter talk.mp4 out.mp4 --disable victory --hold 1.5
              flourish filter talk.mp4 out.mp4 --no-gestures --reaction heart@3,0.5,0.4
              flourish filter talk.mp4 part.mp4 --start 1:30 --duration 20
              flourish filter talk.mp4 out.mp4 --intensity 0.4 --palette pastel
              flourish filter talk.mp4 out.mp4 --effects effects --bind victory=bubbles
              flourish filter call.mp4 reacted.mp4 --sounds 0.3
              flourish filter call.mp4 reacted.mp4 --plan call.plan.json
              flourish filter call.mp4 effects.webm --overlay
              flourish filter call.mp4 reacted.mp4 --photos moments --photo-quality quality
              flourish filter - - --live --photos moments --photo-quality quality --photo-deferred idle
              flourish filter A.mp4 B.mkv calls/ --output-dir reacted/ --name '{stem}-reacted{ext}'

            These are the options that most runs need; flourish filter --help-all shows all of them.
            """)

    @OptionGroup var help: HelpOptions

    @Argument(
        help:
            "The video to read and the video to write; - is the standard input and output. With --output-dir: videos, and folders of videos.",
        completion: .file())
    var paths: [String] = []

    @Option(
        help: ArgumentHelp(
            "Filter many videos, and folders of videos, into this folder; finished outputs are skipped.",
            valueName: "folder"),
        completion: .directory)
    var outputDir: String?

    @Option(
        help: ArgumentHelp(
            "Write events as JSON Lines to this file, which is replaced; - is the standard output.", valueName: "path"),
        completion: .file())
    var events: String?

    @Option(
        help: ArgumentHelp(
            "Write a report of bit rate, quantisers and frame rate over time to this JSON file, with a plot as SVG beside it.",
            valueName: "path", visibility: .advanced), completion: .file(extensions: ["json"]))
    var report: String?

    @Flag(
        help: ArgumentHelp(
            "Print how the video would be processed, and why; write nothing.", visibility: .advanced))
    var explain = false

    @OptionGroup var reactions: ReactionOptions
    @OptionGroup(title: "Many recordings", visibility: .advanced) var folder: FolderOptions
    @OptionGroup(title: "Plan") var plans: PlanOptions
    @OptionGroup var reactionSettings: ReactionSettings
    @OptionGroup(title: "Effects") var ring: HoldRingOptions
    @OptionGroup(title: "Effects") var video: VideoEffectOptions
    @OptionGroup(title: "Effects") var sound: SoundOptions
    @OptionGroup(title: "Recognition", visibility: .advanced) var candidates: CandidateOptions
    @OptionGroup(title: "Encoder") var encoder: RunEncoderOptions
    @OptionGroup(title: "Input") var trim: TrimOptions
    @OptionGroup(title: "Input", visibility: .advanced) var inputFormat: InputFormatOptions
    @OptionGroup(title: "Live", visibility: .advanced) var live: LiveOptions
    @OptionGroup(title: "Output") var writing: RunOutputOptions
    @OptionGroup(title: "Photographs", visibility: .advanced) var photographs: PhotographOptions
    @OptionGroup(title: "Hooks", visibility: .advanced) var hooks: HookOptions
    @OptionGroup(title: "Remote control", visibility: .advanced) var remote: RemoteOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions
    @OptionGroup(title: "Sandbox") var sandbox: SandboxOptions

    func validate() throws {
        try candidates.refuse(beside: reactions)
        // If a run has a control socket or a panel, clients can read events and request photographs.
        if !remote.isGiven {
            if candidates.candidates, events == nil, plans.plan == nil {
                throw ValidationError("--candidates requires --events")
            }
            try photographs.refuseIdle()
        }
        if outputDir == nil {
            guard paths.count < 2 else { return }
            let name = paths.isEmpty ? "<input>" : "<output>"
            throw ValidationError("Missing expected argument '\(name)'" + remote.remedyForMissingArgument)
        }
        if paths.isEmpty { throw ValidationError("Missing expected argument '<input>'") }
        try FolderOptions.refuseForMany(
            [
                ("--events", events != nil), ("--report", report != nil), ("--sidecar", writing.sidecar != nil),
                ("--live", live.live), ("--stats", live.stats), ("--keep-partial", writing.keepPartial),
                ("--explain", explain), (remote.name, remote.isGiven),
            ], option: "--output-dir")
    }

    /// The video to read, or the first of many.
    private var input: String { paths[0] }

    var needs: SandboxNeeds {
        var needs = SandboxNeeds()
        needs.read(input)
        for path in [outputDir == nil ? paths[1] : nil, events, report, writing.sidecar] { needs.write(path) }
        for folder in [outputDir, photographs.photos] { needs.fill(folder) }
        needs.serve(remote)
        needs.run(hooks, files)
        return needs
    }

    func run() async throws {
        if outputDir == nil {
            try folder.refuseForOne(input, more: paths.dropFirst(2), option: "--output-dir")
        }
        if let outputDir { return try await filterMany(into: outputDir) }
        let output = paths[1]
        if output.hasPrefix(CameraFeed.prefix), !explain {
            try await filter(toCamera: String(output.dropFirst(CameraFeed.prefix.count)))
        } else {
            try await filter(to: output)
        }
    }

    private func filterMany(into outputDir: String) async throws {
        // A template may set the container of all outputs.
        try checkCoding(of: folder.name ?? outputDir)
        let settings = try loadSettings(for: nil)
        var request = try folder.request(paths, into: outputDir, .video, try configuration(settings))
        if let path = plans.plan {
            try plans.checkFolder(idle: idleBesidePlan)
            request.plans = BatchPath(argument: path)
            request.restyle = { [style = reactionSettings.style, video] look throws(FlourishError) in
                try style.apply(to: &look)
                try video.apply(to: &look)
            }
        }
        try await BatchRunner(
            messages: Messages(settings), isDryRun: folder.dryRun, hooks: request.configuration.hooks
        ).run(request)
    }

    private func filter(toCamera name: String) async throws {
        let camera = try CameraOffer(name) { Console.error($0) }
        var command = self
        command.writing.outputFormat = "yuv4mpegpipe"
        try await command.filter(to: camera.path)
        try camera.finish()
    }

    private func filter(to output: String) async throws {
        messages.name(input)
        let read = [
            input, plans.plan, files.config, reactionSettings.recognition.gesturesFile, reactionSettings.style.palette,
        ]
        try OutputCheck.check(events, of: "--events", apartFrom: read + [output])
        try OutputCheck.check(plans.plan, of: "--plan", apartFrom: [input, output])
        try OutputCheck.check(writing.sidecar, of: "--sidecar", apartFrom: read + [output, events])
        let reportFiles = try report.map { path throws(FlourishError) in
            try ReportFiles(path: path, apartFrom: read + [output, events, writing.sidecar])
        }
        try StandardOutput.check(output, events: events, cues: writing.sidecar)
        try checkCoding(of: output)
        let settings = try loadSettings(for: output)
        let plan = try plans.load(reactionSettings.style, video, idle: idleBesidePlan)
        var configuration = try configuration(settings)
        if explain {
            let route = try await ReactionSession(configuration: configuration).explain(input, to: output, plan: plan)
            StandardOutput.print("\(input) → \(output): \(route)")
            return
        }
        let source = try CameraInput.open(input, &configuration)
        try await SessionRunner(
            messages: Messages(settings), input: input, eventsPath: events, sidecarPath: writing.sidecar,
            hooks: configuration.hooks, quietReason: quietReason(plan, configuration)
        )
        .run(ReactionSession(configuration: configuration), remote: remote) { session, observer in
            let outcome =
                if let plan {
                    try await session.render(plan, from: source, to: output, observer: observer)
                } else {
                    try await session.filter(source, to: output, observer: observer)
                }
            if let encoding = outcome.encoding { try reportFiles?.write(encoding) }
            return outcome
        }
    }

    /// The options that choose how the video is encoded, each with true if it is given.
    private var coding: [(String, Bool)] {
        encoder.coding + [("--embed-metadata", writing.embedMetadata)]
    }

    /// Refuses encoder options that have no effect on the output. An overlay, whose name determines the encoding, is
    /// not checked here: ``RunOutputOptions/apply(to:coding:)`` refuses such options.
    private func checkCoding(of output: String) throws(FlourishError) {
        if !writing.overlay { try EncoderOptions.refuse(coding, for: output, format: writing.outputFormat) }
    }

    /// Options that have no effect together with a plan, each with true if it is given.
    private var idleBesidePlan: PlanOptions.Idle {
        (
            planned: reactionSettings.recognition.given + ring.given + [
                ("--bind", !reactionSettings.binding.bind.isEmpty),
                ("--reaction", !reactions.reaction.isEmpty),
            ],
            others: [("--candidates", candidates.candidates), ("--live", live.live)] + trim.given
        )
    }

    /// - Parameter output: The path of the output; `nil` for many recordings.
    private func loadSettings(for output: String?) throws(FlourishError) -> Settings {
        try files.load(
            reactions, reactionSettings, ring, video, sound, encoder, writing.outputs, writing.marks, inputFormat,
            hooks, messages
        ) { settings in
            if let output { settings.chooseCodec(for: output, format: writing.outputFormat) }
        }
    }

    private func configuration(_ settings: Settings) throws(FlourishError) -> Configuration {
        var configuration = try settings.configurationWithUsersGestures()
        trim.apply(to: &configuration)
        inputFormat.apply(to: &configuration)
        live.apply(to: &configuration)
        candidates.apply(to: &configuration)
        photographs.apply(to: &configuration)
        try writing.apply(to: &configuration, coding: coding)
        configuration.isSteered = remote.isGiven
        reactions.apply(to: &configuration)
        return configuration
    }

    /// Returns the reason why a successful run may show no reaction.
    private func quietReason(_ plan: ReactionPlan?, _ configuration: Configuration) -> RunReport.Quiet {
        guard let plan else { return RunReport.Quiet(configuration) }
        return plan.reactions.contains(where: \.isEnabled) ? .notShown : .emptyPlan
    }
}

/// The files of a report: JSON, and a plot beside it.
private struct ReportFiles {
    private let json: String
    private let svg: String

    /// - Parameter path: The path of the JSON file. The path of the plot ends with `.svg` instead of `.json`.
    /// - Throws: `FlourishError` if the path equals the plot's path, if a file would overwrite another file of the run,
    ///   or if the folder is missing.
    init(path: String, apartFrom others: [String?]) throws(FlourishError) {
        if path == "-" {
            throw FlourishError(.usage, "a report is written to two files; give --report a path ending in .json")
        }
        // If the path is a symbolic link, its target is replaced, and the link is kept.
        json = URL(filePath: path).resolvingSymlinksInPath().path
        for name in [path, json] where name.lowercased().hasSuffix(".svg") {
            throw FlourishError(
                .usage,
                "\(path): the report is JSON; use --report \(name.dropLast(4)).json; its plot gets the same name with .svg"
            )
        }
        svg = (json.hasSuffix(".json") ? String(json.dropLast(5)) : json) + ".svg"
        for file in [json, svg] {
            try OutputCheck.check(file, of: "--report", apartFrom: others)
            try OutputCheck.checkIsPlain(file, of: "--report")
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw unwritable("the folder \(folder) does not exist or is not writable")
        }
    }

    /// Writes both files, and replaces existing ones.
    func write(_ report: EncodingReport) throws(FlourishError) {
        do {
            try report.json.write(toFile: json, atomically: true, encoding: .utf8)
            try report.svg.write(toFile: svg, atomically: true, encoding: .utf8)
        } catch {
            throw unwritable(Self.reason(for: error))
        }
    }

    private static func reason(for error: any Error) -> String {
        let cause = (error as? CocoaError)?.underlying as? POSIXError
        return cause.map { systemMessage($0.code.rawValue) } ?? "\(error)"
    }

    private func unwritable(_ reason: String) -> FlourishError {
        FlourishError(
            .outputUnavailable, "\(json): the report cannot be written (\(reason)); choose another --report path")
    }
}
