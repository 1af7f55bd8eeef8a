import ArgumentParser
import Flourish
import FlourishControl
import Platform

/// The command `flourish evaluate`. Counts how often gestures fire in recordings, and shows each in the browser if
/// requested.
struct EvaluateCommand: AsyncParsableCommand, BriefHelp, SandboxedCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Count how often gestures fire in your own recordings, and which were meant.",
        discussion: """
            Prints counts, hours and rates with 95 % intervals, and no names; nothing leaves this machine. With --review, a \
            page shows each gesture that fired and asks whether it was meant. Events and answers are kept in a folder, so \
            that a later run continues.

            EXAMPLES
              flourish evaluate calls/
              flourish evaluate calls/ --review --open
              flourish evaluate calls/ --json figures.json
            """)

    @OptionGroup var help: HelpOptions

    @Argument(help: "Recordings, and folders of recordings.", completion: .file())
    var inputs: [String]

    @Option(
        help: ArgumentHelp(
            "The folder for events and answers (default: the folder evaluation in the first folder).",
            valueName: "folder"),
        completion: .directory)
    var results: String?

    @Option(
        help: ArgumentHelp("Write the figures as JSON to this file, which is replaced.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var json: String?

    @Flag(help: "Serve a page that shows each gesture that fired and asks whether it was meant.")
    var review = false

    @OptionGroup var page: PageOptions

    @OptionGroup(title: "Recordings") var batch: BatchOptions
    @OptionGroup(title: "Recognition") var recognition: RecognitionOptions
    @OptionGroup(title: "Recognition") var speech: SpeechOptions
    @OptionGroup(title: "Input") var decoders: DecoderOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions
    @OptionGroup(title: "Sandbox") var sandbox: SandboxOptions

    func validate() throws {
        if !review, let given = [("--open", page.open), ("--address", page.address != nil)].first(where: \.1)?.0 {
            throw ValidationError("\(given) requires --review")
        }
    }

    /// The folder for events and answers.
    private var folder: String {
        if let results { return results }
        let first = inputs[0]
        if FolderOptions.isFolder(first) { return first + (first.hasSuffix("/") ? "" : "/") + "evaluation" }
        return TemporaryFile.folder(of: first) + "evaluation"
    }

    var needs: SandboxNeeds {
        var needs = SandboxNeeds()
        needs.fill(folder)
        needs.write(json)
        needs.usesNetwork = review
        needs.startsPrograms = page.open
        return needs
    }

    func run() async throws {
        let settings = try files.load(recognition, speech, decoders, messages)
        try settings.requireGestures()
        let configuration = try settings.configurationWithUsersGestures()
        let request = try batch.request(inputs, into: folder, .events, configuration)
        for input in inputs {
            if case .failure(let error) = RawFile.status(RawName.bytes(input)) {
                throw FlourishError(.inputUnavailable, "\(input): \(error.message)")
            }
        }
        try OutputCheck.check(
            json, of: "--json", apartFrom: inputs + [files.config, recognition.gesturesFile])
        try checkReplaced()
        let place = try page.place()
        let runner = BatchRunner(messages: Messages(settings), isDryRun: false)
        let stop = StopAction()
        let interrupt = InterruptHandler { stop.run() }
        defer { interrupt.cancel() }
        let report = try await runner.report(of: request, stop: stop)
        if report.wasStopped || report.failure != nil { return try BatchRunner.end(report) }
        let evaluation = try Evaluation(report)
        var answers = try TriggerAnswers(in: folder)
        if review, !evaluation.triggers.isEmpty {
            answers = try await ask(evaluation.triggers, answers, configuration, at: place, stop)
        }
        let figures = EvaluationFigures(evaluation, answers, configuration)
        StandardOutput.print(figures.text)
        if let json {
            let text = try figures.json
            do throws(FileError) { try TemporaryFile.write([UInt8](text.utf8), to: json, overwrite: true) } catch {
                throw FlourishError(error)
            }
        }
        try StandardOutput.check()
        try BatchRunner.end(report)
    }

    /// Refuses to replace a file that has no JSON: a recording in one of the folders would be lost.
    private func checkReplaced() throws(FlourishError) {
        guard let json, let descriptor = try? RawFile.open(RawName.bytes(json), O_RDONLY | O_NONBLOCK) else { return }
        defer { close(descriptor) }
        guard DescriptorInput.isPlainFile(descriptor) else { return }
        let start = DescriptorInput.readAll(descriptor, limit: 0)?.first
        if let start, start != UInt8(ascii: "{") {
            throw FlourishError(
                .outputUnavailable, "\(json): exists, and has no figures; choose another file with --json")
        }
    }

    /// Serves the page until it ends the review, or the program is interrupted. Returns the answers.
    private func ask(
        _ triggers: [Evaluation.Trigger], _ answers: TriggerAnswers, _ configuration: Configuration,
        at place: PanelAddress, _ stop: StopAction
    ) async throws -> TriggerAnswers {
        let review = TriggerReview(triggers, answers, configuration: configuration)
        let server = try await PageServer(address: place, review: review)
        let work = Task { await review.run() }
        stop.set { work.cancel() }
        Console.error("review of \(Wording.count(triggers.count, "gesture")): \(server.url)")
        if page.open { Browser.open(server.url) }
        await work.value
        await server.stop()
        return review.answers
    }
}
