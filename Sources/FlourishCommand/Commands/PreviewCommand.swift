import ArgumentParser
import Flourish
import FoundationEssentials
import Platform
import Synchronization

/// The command `flourish preview`. Renders an effect to a file, or measures its drawing time.
struct PreviewCommand: AsyncParsableCommand, BriefHelp, SandboxedCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Render an effect by itself, on a plain background or a picture.",
        discussion: """
            The output's extension selects the format: .mp4 (or another container) a video, \
            .gif an animation, .png a contact sheet of twelve pictures. An animation is at most 480 pixels \
            wide and has 15 frames a second, unless --size and --rate give others.

            EXAMPLES
              flourish preview balloons balloons.mp4
              flourish preview fireworks fireworks.png --background photo.jpg
              flourish preview heart heart.gif
              flourish preview rain --measure
              flourish preview confetti soft.mp4 --intensity 0.5 --palette "#ff8800,#0088ff"
              flourish preview --effect bubbles.json bubbles.gif --watch
            """)

    @OptionGroup var help: HelpOptions

    @Argument(
        help: "The reaction's type, such as balloons (see: flourish reactions); omitted with --effect.",
        completion: .reactions)
    var type: String?

    @Argument(
        help: "The output file; the only argument with --effect, optional with --measure.",
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The description of a custom effect to show instead of a type; its sprites are beside it.",
            valueName: "path"), completion: .file(extensions: ["json"]))
    var effect: String?

    @Option(
        help: ArgumentHelp("An image, or a video whose first frame is used.", valueName: "path"),
        completion: .file())
    var background: String?

    @Option(
        help: ArgumentHelp(
            "The size of the plain background, and the largest width of an animation over a picture; by default 1280x720, 480x270 for .gif.",
            valueName: "WxH"))
    var size: PictureSize?

    @Option(help: ArgumentHelp("Frames a second, 1 … 240; by default 30, 15 for .gif.", valueName: "n"))
    var rate: Int?

    @Option(
        help: ArgumentHelp("The position where the effect starts, as fractions of the picture (0…1).", valueName: "x,y")
    )
    var origin: PicturePoint?

    @Flag(help: "Print the drawing time in milliseconds per frame as JSON; write nothing.")
    var measure = false

    @Flag(help: "Render again whenever the description or a sprite changes, until Ctrl-C.")
    var watch = false

    @OptionGroup(title: "Effects") var style: StyleOptions
    @OptionGroup(title: "Encoder") var encoder: EncoderOptions
    @OptionGroup(title: "Output") var outputs: OutputOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions
    @OptionGroup(title: "Sandbox") var sandbox: SandboxOptions

    /// The file to write. If the effect is a custom description, the file is the first argument.
    private var file: String? { effect == nil ? output : type }

    func validate() throws {
        if effect == nil && type == nil { throw ValidationError("Missing the reaction's type") }
        if file == nil && !measure { throw ValidationError("Missing the file to write") }
        if effect != nil, let output { throw ValidationError("unexpected argument '\(output)'") }
        if watch && (measure || file == "-") {
            throw ValidationError("--watch renders to a file again and again; leave \(measure ? "--measure" : "-") out")
        }
        if let rate, !(1...240).contains(rate) { throw ValidationError("--rate must be between 1 and 240") }
    }

    var needs: SandboxNeeds {
        var needs = SandboxNeeds()
        if let background { needs.read(background) }
        needs.write(file)
        return needs
    }

    func run() async throws {
        let watcher = FileWatcher()
        let interrupt = watch ? InterruptHandler { watcher.stop() } : InterruptHandler()
        defer { interrupt.cancel() }
        if let file { try EncoderOptions.refuse(encoder.given, for: file) }
        let configuration = try files.load(style, encoder, outputs) { settings in
            if let file { settings.chooseCodec(for: file) }
        }.configuration()
        var preview =
            effect.map { EffectPreview(descriptionFile: $0) }
            ?? EffectPreview(ReactionType(rawValue: type ?? ""))
        choosePictures(of: &preview)
        preview.background = background
        preview.origin = origin
        preview.seed = configuration.seed
        preview.style = configuration.style
        preview.resources = configuration.resources
        preview.encoding = configuration.encoding
        preview.overwrite = configuration.overwrite
        if let file, watch {
            try await renderRepeatedly(preview, to: file, configuration, watcher)
        } else if let file {
            try await preview.render(to: file)
        }
        guard measure else { return }
        StandardOutput.print(JSONLine.encode(try await preview.measure()))
    }
}

extension PreviewCommand {
    /// Sets the size and the rate. The defaults of an animation are smaller: GIF stores each frame with its own palette and
    /// without prediction of motion.
    private func choosePictures(of preview: inout EffectPreview) {
        let isAnimation = file.map(EffectPreview.isAnimation) ?? false
        let size = size ?? (isAnimation ? PictureSize(width: 480, height: 270) : PictureSize(width: 1280, height: 720))
        preview.width = size.width
        preview.height = size.height
        preview.animationWidth = size.width
        preview.frameRate = rate ?? (isAnimation ? 15 : 30)
    }

    /// Renders whenever a file of the effect has changed. Errors are printed, and do not end the command.
    private func renderRepeatedly(
        _ preview: EffectPreview, to file: String, _ configuration: Configuration, _ watcher: FileWatcher
    ) async throws(FlourishError) {
        var watched = configuration
        if let effect {
            let folder = effect.lastIndex(of: "/").map { String(effect[..<$0]) } ?? "."
            watched.resources = Resources(effectFolders: [folder])
        }
        let session = ReactionSession(configuration: watched)
        let name = file.split(separator: "/").last
        func stamps() -> [String: FileStamp] {
            // The output may be beside the description.
            session.effectFileStamps().filter { $0.key.split(separator: "/").last != name }
        }
        var preview = preview
        while true {
            let rendered = stamps()
            do throws(FlourishError) {
                try await preview.render(to: file)
                Console.error("\(file): rendered; waiting for changes (Ctrl-C to stop)")
                preview.overwrite = true
            } catch {
                // A file that must not be replaced, and the like, do not change by themselves.
                guard preview.overwrite || error.code == .inputUnusable else { throw error }
                Console.error(error.line)
            }
            while stamps() == rendered {
                guard await watcher.pause() else { return }
            }
        }
    }
}

/// The pauses between checks of watched files, until a signal ends them.
private final class FileWatcher: Sendable {
    private let isStopped = Atomic(false)

    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Waits a moment.
    ///
    /// - Returns: `false` if the command is to end.
    func pause() async -> Bool {
        try? await Task.sleep(for: .milliseconds(300))
        return !isStopped.load(ordering: .relaxed)
    }
}
