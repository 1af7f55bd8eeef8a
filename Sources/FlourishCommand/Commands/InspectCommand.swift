import ArgumentParser
import Flourish
import Platform
import Synchronization

/// The command `flourish inspect`. Prints the detections in each analysed frame, or writes a video or image that shows
/// them.
struct InspectCommand: AsyncParsableCommand, BriefHelp, SandboxedCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the hands and gestures of each analysed frame or image, and why nothing fired.",
        discussion: """
            EXAMPLES
              flourish inspect call.mp4
              flourish inspect photo.jpg --json
              flourish inspect --json photos/*.jpg
              flourish inspect call.mp4 --json | jq -c '[.time, .gesture, .reason]'
              flourish inspect call.mp4 --draw seen.mp4
              flourish inspect photo.jpg --draw seen.png
            """)

    @OptionGroup var help: HelpOptions

    @Argument(help: "Videos, and JPEG or PNG images.", completion: .file())
    var inputs: [String]

    @Flag(help: "Print JSON Lines: one object for each analysed frame.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write the video, or the image as .png, with the detections drawn over it; lines are then printed only with --json.",
            valueName: "output"), completion: .file())
    var draw: String?

    @OptionGroup(title: "Recognition") var recognition: RecognitionOptions
    @OptionGroup(title: "Recognition") var binding: BindingOptions
    @OptionGroup(title: "Input") var decoders: DecoderOptions
    @OptionGroup(title: "Encoder") var encoder: EncoderOptions
    @OptionGroup(title: "Output") var outputs: OutputOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions
    @OptionGroup(title: "Sandbox") var sandbox: SandboxOptions

    func validate() throws {
        if draw != nil && inputs.count > 1 {
            throw ValidationError("--draw accepts one input, not \(inputs.count)")
        }
        if draw == nil, let (option, _) = encoder.given.first(where: \.1) {
            throw ValidationError("\(option) sets how --draw encodes a video; add --draw, or remove \(option)")
        }
    }

    var needs: SandboxNeeds {
        var needs = SandboxNeeds()
        for input in inputs { needs.read(input) }
        needs.write(draw)
        return needs
    }

    func run() async throws {
        // With several inputs each message names its input.
        if inputs.count == 1 { messages.name(inputs[0]) }
        let settings = try files.load(recognition, binding, decoders, encoder, outputs, messages) { settings in
            if let draw { settings.chooseCodec(for: draw) }
        }
        try settings.requireGestures()
        var configuration = try settings.configurationWithUsersGestures()
        configuration.keepsPartialOutput = false
        let inspector = Inspector(configuration: configuration)
        let interrupt = InterruptHandler { inspector.stop() }
        defer { interrupt.cancel() }
        if let draw {
            try await self.draw(inspector, to: draw, Messages(settings))
        } else {
            try await list(inspector, Messages(settings))
        }
        try StandardOutput.check()
        if inspector.isStopped { throw ExitStatus.interrupted }
    }

    /// Prints the inspection of all inputs.
    ///
    /// - Throws: An exit code if one of several inputs could not be read, after the message.
    private func list(_ inspector: Inspector, _ messages: Messages) async throws {
        let (json, tally) = (json, Tally())
        let warning = { @Sendable (input: String, message: String) in
            guard messages.level >= .warning else { return }
            Console.warn(message.hasPrefix("\(input): ") ? message : "\(input): \(message)")
        }
        let failure = { @Sendable (input: String, error: FlourishError) in
            tally.hasFailed.store(true, ordering: .relaxed)
            Console.subject = input
            Console.error(error.line)
            Console.subject = nil
        }
        try await inspector.inspect(inputs, warning: warning, failure: inputs.count > 1 ? failure : nil) { frame in
            tally.frames.add(1, ordering: .relaxed)
            // The work ends when the reader of the lines has gone.
            if !Self.print(frame, asJSON: json) { inspector.stop() }
        }
        try StandardOutput.check()
        if inspector.isStopped, messages.level >= .warning {
            let frames = Wording.count(tally.frames.load(ordering: .relaxed), "frame")
            Console.error("stopped before the end, after \(frames)")
        }
        if tally.hasFailed.load(ordering: .relaxed), !inspector.isStopped {
            throw ExitStatus.code(for: .inputUnusable)
        }
    }

    private final class Tally: Sendable {
        /// The number of inspected frames.
        let frames = Atomic(0)
        /// True if an input could not be read.
        let hasFailed = Atomic(false)
    }

    private func draw(_ inspector: Inspector, to output: String, _ messages: Messages) async throws {
        ProcessMemory.shareBetweenThreads()
        // The video is completed even if the reader of the lines has gone.
        signal(SIGPIPE, SIG_IGN)
        let progress = ProgressLine(style: messages.progress, input: inputs[0])
        MediaLogging.set(verbose: messages.level == .debug)
        defer { progress.clear() }
        let prints = json
        let written = try await inspector.draw(
            inputs[0], to: output,
            warning: { message in
                guard messages.level >= .warning else { return }
                progress.interrupted { Console.warn(message) }
            },
            progress: { progress.show($0) }
        ) { if prints { Self.print($0, asJSON: true) } }
        let (isStopped, bytes) = (inspector.isStopped, RunReport.size(of: written))
        progress.finish(isComplete: !isStopped) { record in
            (record.input, record.output, record.bytes, record.interrupted) = (inputs[0], written, bytes, isStopped)
        }
        guard isStopped, messages.level >= .warning, messages.progress != .json else { return }
        let whole = progress.duration.map { " of \(Wording.clock($0))" } ?? ""
        let facts = bytes.map { " (\(Wording.size($0)))" } ?? ""
        Console.error("stopped after \(Wording.clock(progress.newest?.seconds ?? 0))\(whole) → \(written)\(facts)")
    }

    /// - Returns: True if the line could be written.
    @discardableResult
    private static func print(_ frame: FrameInspection, asJSON: Bool) -> Bool {
        let name = frame.input.map { "\($0.printable): " } ?? ""
        return StandardOutput.print(asJSON ? frame.jsonLine : name + line(for: frame))
    }

    /// Returns a line such as `2.480 s  thumbsUp 0.97 (right)  held 0.3 of 1.0 s`. Gestures of two hands follow the
    /// hands.
    private static func line(for frame: FrameInspection) -> String {
        let hands = frame.hands.map { hand in
            let sign = hand.gesture.map { "\($0.rawValue) \(Wording.decimals(hand.confidence, 2))" } ?? "hand"
            return "\(sign) (\(hand.handedness))"
        }
        var parts = ["\(Wording.decimals(frame.time, 3)) s"]
        if let tile = frame.tile { parts.append("tile \(tile.id)") }
        if hands.isEmpty {
            parts.append("no hand")
        } else {
            parts.append(hands.joined(separator: ", "))
            if let gesture = frame.gesture?.rawValue, !frame.hands.contains(where: { $0.gesture?.rawValue == gesture })
            {
                parts.append(gesture)
            }
            parts.append(frame.reason)
        }
        return parts.joined(separator: "  ")
    }
}
