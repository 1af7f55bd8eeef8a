import ArgumentParser
import Flourish
import Puppet

/// The command `flourish puppet`. Writes a synthetic video of people who make gestures, and a JSON file with the times
/// of these gestures.
struct PuppetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "puppet",
        abstract: "Render a synthetic call from a script, with its ground truth as JSON.",
        discussion: """
            EXAMPLES
              flourish puppet Assets/Puppet/call.json call.mp4
              flourish puppet script.json clip.mkv --truth truth.json
              flourish puppet Assets/Puppet/Galleries/team.json team.mp4
            """)

    @Argument(help: "The script in JSON: the times of each hand's gestures.", completion: .file())
    var script: String

    @Argument(help: "The video to write.", completion: .file())
    var output: String

    @Option(
        help: ArgumentHelp(
            "The file for the ground truth (default: OUTPUT with .truth.json).", valueName: "path"))
    var truth: String?

    @OptionGroup(title: "Output") var outputs: OutputOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions

    func run() async throws {
        let interrupt = InterruptHandler()
        defer { interrupt.cancel() }
        messages.name(script)
        let settings = try files.load(outputs, messages)
        let overwrite = try settings.configuration().overwrite
        try OutputCheck.check(output, input: script, overwrite: overwrite)
        let truth = truth ?? PuppetFilm.truthPath(for: output)
        if truth == output {
            throw FlourishError(
                .usage, "\(truth): is the path of both the video and the ground truth; choose another --truth path")
        }
        try OutputCheck.check(truth, input: script, overwrite: overwrite)
        let progress = ProgressLine(style: Messages(settings).progress, input: output)
        defer { progress.clear() }
        do {
            let film = try PuppetFilm(path: script)
            let rate = film.director.script.rate
            try film.render(to: output, truthPath: truth, overwrite: overwrite) { done, total in
                progress.show(
                    SessionProgress(
                        frames: done, seconds: Double(done) / rate,
                        duration: Double(total) / rate, effects: 0))
            }
            progress.finish()
        } catch let error as PuppetError {
            throw FlourishError(Self.code(for: error.code), error.message)
        } catch {
            throw FlourishError(describing: error)
        }
    }

    private static func code(for code: PuppetError.Code) -> FlourishError.Code {
        switch code {
        case .unreadableScript: .inputUnavailable
        case .invalidScript: .inputUnusable
        case .unwritableFilm: .outputUnavailable
        }
    }
}
