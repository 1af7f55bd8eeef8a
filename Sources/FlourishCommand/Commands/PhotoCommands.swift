import ArgumentParser
import Flourish
import FlourishControl
import FoundationEssentials
import Platform

/// The command `flourish photo`. Writes a photograph from a recording, or requests one from a running flourish.
struct PhotoCommand: AsyncParsableCommand, SandboxedCommand {
    static let configuration = CommandConfiguration(
        commandName: "photo",
        abstract: "Capture a photograph from a recording, or from the video of a running flourish.",
        discussion: """
            Captures the frame shown at --at, or the best one of an interval (--best). Neighbouring frames are aligned \
            and fused to reduce noise; moving parts come from the one frame alone. The output's \
            extension selects the format: .jpg, .png, .webp or .avif. Without a video, a running flourish, started \
            with --control and --photos, captures its current frame into its folder.

            EXAMPLES
              flourish photo call.mp4 --at 1:30.2 -o moment.jpg
              flourish photo call.mp4 --at 1:30.2 -o moment.png --photo-quality quality
              flourish photo call.mp4 --best --start 1:20 --end 1:40 -o moment.avif
              flourish photo call.mp4 --best -o moment.jpg --json | jq .choice
              flourish photo --control /tmp/call.sock
            """)

    @Argument(help: "The video to read; without one, that of the running flourish.", completion: .file())
    var input: String?

    @Option(
        name: [.long, .customShort("o")], help: ArgumentHelp("The image file to write.", valueName: "path"),
        completion: .file(extensions: ["jpg", "png", "webp", "avif"]))
    var output: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time from the recording's first frame.", valueName: "time"))
    var at: TimeArgument?

    @Flag(help: "Choose the best frame: sharp, with little motion, and with faces if there are any.")
    var best = false

    @Option(
        parsing: .unconditional, help: ArgumentHelp("With --best: the start of the interval.", valueName: "time"))
    var start: TimeArgument?

    @Option(parsing: .unconditional, help: ArgumentHelp("With --best: the end of the interval.", valueName: "time"))
    var end: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "speed is the frame as it is, balanced, the default, fuses up to \(PhotoQualityPrioritization.balanced.maxFrameCount) frames, quality up to \(PhotoQualityPrioritization.quality.maxFrameCount).",
            valueName: "quality"))
    var photoQuality: PhotoQualityPrioritization?

    @Flag(inversion: .prefixedNo, help: "Adjust the tones and the sharpness of a fused photograph.")
    var finish = true

    @Flag(help: "Print the photograph's properties as a line of JSON.")
    var json = false

    @OptionGroup(title: "Remote control") var client: ControlClientOptions
    @OptionGroup(title: "Input") var inputFormat: InputFormatOptions
    @OptionGroup(title: "Output") var outputs: OutputOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions
    @OptionGroup(title: "Sandbox") var sandbox: SandboxOptions

    func validate() throws {
        for (option, time) in [("--at", at), ("--start", start)] {
            if let time, time.seconds < 0 { throw ValidationError("\(option) must be 0 or more seconds") }
        }
        guard input != nil else {
            if best || output != nil { throw ValidationError("Missing expected argument '<input>'") }
            let idle = [("--start", start != nil), ("--end", end != nil), ("--no-finish", !finish)]
            if let option = idle.first(where: \.1)?.0 {
                throw ValidationError(
                    "\(option) requires a video; a running flourish captures its current frame")
            }
            return
        }
        if output == nil { throw ValidationError("Missing expected argument '--output <path>'") }
        if client.control != nil { throw ValidationError("--control cannot be combined with a video") }
        if best == (at != nil) { throw ValidationError("Give either --at with a time, or --best") }
        if !best, start != nil || end != nil { throw ValidationError("--start and --end require --best") }
        if let start, let end, end.seconds <= start.seconds { throw ValidationError("--end must come after --start") }
    }

    var needs: SandboxNeeds {
        var needs = SandboxNeeds()
        if let input { needs.read(input) } else { needs.usesLocalSockets = true }
        needs.write(output)
        return needs
    }

    func run() async throws {
        try await Console.reportingErrors {
            guard let input, let output else { return try ask() }
            let loaded = try files.load(outputs, inputFormat)
            let level = Messages(loaded).level
            var configuration = try loaded.configuration()
            inputFormat.apply(to: &configuration)
            try OutputCheck.check(output, input: input, overwrite: configuration.overwrite)
            let photographer = RecordingPhotographer(configuration: configuration)
            let interrupt = InterruptHandler { photographer.stop() }
            defer { interrupt.cancel() }
            var settings = PhotoSettings(
                try PhotoFileType(writing: output), photoQualityPrioritization: photoQuality ?? .balanced)
            settings.isFinishingEnabled = finish
            let warning = { @Sendable (message: String) in if level >= .warning { Console.warn(message) } }
            let photo: Photo
            if let at {
                photo = try await photographer.photo(of: input, at: at.seconds, with: settings, warning: warning)
            } else {
                photo = try await photographer.bestPhoto(
                    of: input, from: start?.seconds ?? 0, to: end?.seconds, with: settings, warning: warning)
            }
            try photo.write(to: output, overwrite: configuration.overwrite)
            if json { try printLine(Line(photo)) }
        }
    }

    /// Requests the photograph from a running flourish, and prints its path.
    private func ask() throws {
        var request: [String: JSONValue] = ["command": .text("photo")]
        if let at { request["time"] = .number(at.seconds) }
        if let photoQuality { request["photoQualityPrioritization"] = .text(photoQuality.rawValue) }
        let data = try client.connect().ask(request)
        guard case .object(let fields) = data else { return }
        if json {
            try printLine(data)
        } else if case .text(let path) = fields["path"] {
            StandardOutput.print(path)
        }
    }

    private func printLine(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        StandardOutput.print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// The line of JSON of a photograph.
    private struct Line: Encodable {
        var time: Double
        var bytes: Int
        var resolvedSettings: ResolvedPhotoSettings
        var choice: PhotoChoice?

        init(_ photo: Photo) {
            (time, bytes) = (photo.time, photo.fileDataRepresentation.count)
            (resolvedSettings, choice) = (photo.resolvedSettings, photo.choice)
        }
    }
}

/// The command `flourish develop`. Finishes the deferred photographs of a folder, and replaces their proxies.
struct DevelopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "develop",
        abstract: "Finish the deferred photographs of a folder.",
        discussion: """
            With --photo-deferred, a run writes a proxy of each photograph of the highest quality, and stores its \
            source frames in the folder. This command finishes the photographs that the run did not, because they \
            were deferred or the run was killed, and replaces their proxies. Damaged and foreign files are reported \
            and not changed. Subfolders are searched; symbolic links to folders are not followed.

            EXAMPLES
              flourish filter call.mp4 reacted.mp4 --photos moments --photo-quality quality --photo-deferred later
              flourish develop moments
              flourish develop moments --json | jq .resolvedSettings
            """)

    @Argument(help: "The folder of photographs.", completion: .directory)
    var folder: String

    @Flag(
        name: [.long, .customShort("y")],
        help: "Also replace proxies that were changed or removed.")
    var overwrite = false

    @Flag(help: "Print each photograph as a line of JSON, instead of its path.")
    var json = false

    func run() async throws {
        try await Console.reportingErrors {
            let developer = PhotoDeveloper()
            let interrupt = InterruptHandler { developer.stop() }
            defer { interrupt.cancel() }
            let all = try await developer.develop(folder, overwrite: overwrite) { [json] finished in
                switch finished.result {
                case .developed(let photo): StandardOutput.print(json ? Self.line(finished.path, photo) : finished.path)
                case .busy: Console.warn("\(finished.path): another flourish is processing it")
                case .failed(let error): Console.error(error.line)
                }
            }
            if developer.isStopped {
                Console.error("stopped; run flourish develop again to finish the rest")
                throw ExitStatus.interrupted
            }
            let failures = all.compactMap { if case .failed(let error) = $0.result { error.code } else { nil } }
            // If there are several errors, a missing part of the installation takes precedence over an unusable file.
            if let code = failures.first(where: { $0 != .inputUnusable }) ?? failures.first {
                throw ExitStatus.code(for: code)
            }
        }
    }

    private static func line(_ path: String, _ photo: Photo) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = Line(path: path, time: photo.time, resolvedSettings: photo.resolvedSettings)
        return (try? encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The line of JSON of a photograph.
    private struct Line: Encodable {
        var path: String
        var time: Double
        var resolvedSettings: ResolvedPhotoSettings
    }
}
