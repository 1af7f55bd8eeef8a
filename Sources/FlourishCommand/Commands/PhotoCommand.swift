import ArgumentParser
import Flourish
import FlourishControl
import FoundationEssentials
import Platform

/// The command `flourish photo`. Writes a photograph from a recording, finishes deferred photographs, or requests one from
/// a running flourish.
struct PhotoCommand: AsyncParsableCommand, BriefHelp, SandboxedCommand {
    static let configuration = CommandConfiguration(
        commandName: "photo",
        abstract: "Capture a photograph from a recording, or from the video of a running flourish.",
        usage: """
            flourish photo INPUT --output PATH (--at TIME | --best) [options]
            flourish photo --develop FOLDER [--json] [--overwrite]
            flourish photo [--output PATH] [--control SOCKET] [options]
            """,
        discussion: """
            Captures the frame shown at --at, or the best one of an interval (--best). Neighbouring frames are aligned \
            and fused to reduce noise; moving parts come from the one frame alone. The output's \
            extension selects the format: .jpg, .png, .webp or .avif.

            With --photo-deferred, a run writes a proxy of each photograph of the highest quality, and stores its \
            source frames in the folder. --develop finishes the photographs that the run did not, because they were \
            deferred or the run was killed, and replaces their proxies. Damaged and foreign files are reported and not \
            changed. Subfolders are searched; symbolic links to folders are not followed.

            Without a video, a running flourish, started with --control and --photos, captures its current frame into \
            its folder; with --output, the next frame of its output is written as PNG.

            EXAMPLES
              flourish photo call.mp4 --at 1:30.2 -o moment.jpg
              flourish photo call.mp4 --at 1:30.2 -o moment.png --photo-quality quality
              flourish photo call.mp4 --best --start 1:20 --end 1:40 -o moment.avif
              flourish photo call.mp4 --best -o moment.jpg --json | jq .choice
              flourish photo --develop moments
              flourish photo --control /tmp/call.sock
              flourish photo --output now.png
            """)

    @OptionGroup var help: HelpOptions

    @Argument(help: "The video to read; without one, that of the running flourish.", completion: .file())
    var input: String?

    @Option(
        name: [.long, .customShort("o")],
        help: ArgumentHelp(
            "The image file to write; - is the standard output for a running flourish.", valueName: "path"),
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

    @Option(
        help: ArgumentHelp("Finish the deferred photographs of a folder, and print their paths.", valueName: "folder"),
        completion: .directory)
    var develop: String?

    @Flag(help: "Print the properties of each photograph as a line of JSON.")
    var json = false

    @OptionGroup(title: "Remote control") var client: ControlClientOptions
    @OptionGroup(title: "Input", visibility: .advanced) var inputFormat: InputFormatOptions
    @OptionGroup(title: "Output") var outputs: OutputOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions
    @OptionGroup(title: "Sandbox") var sandbox: SandboxOptions

    func validate() throws {
        for (option, time) in [("--at", at), ("--start", start)] {
            if let time, time.seconds < 0 { throw ValidationError("\(option) must be 0 or more seconds") }
        }
        let given = [
            ("a video", input != nil), ("--output", output != nil), ("--at", at != nil), ("--best", best),
            ("--start", start != nil), ("--end", end != nil), ("--photo-quality", photoQuality != nil),
            ("--no-finish", !finish), ("--json", json), ("--control", client.control != nil),
        ]
        if develop != nil {
            if let other = given.first(where: { $0.1 && $0.0 != "--json" })?.0 {
                throw ValidationError("\(other) and --develop cannot be combined; use one")
            }
            return
        }
        guard input != nil else {
            if best { throw ValidationError("Missing expected argument '<input>'") }
            let unused = given.first { name, isGiven in
                isGiven
                    && (["--start", "--end", "--no-finish"].contains(name)
                        || output != nil && ["--at", "--photo-quality", "--json"].contains(name))
            }
            if let unused {
                throw ValidationError(
                    "\(unused.0) requires a video; a running flourish captures its current frame")
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
        if let input { needs.read(input) } else { needs.usesLocalSockets = develop == nil }
        needs.write(output)
        needs.fill(develop)
        return needs
    }

    func run() async throws {
        if let develop { return try await finishDeferred(in: develop) }
        guard let input else { return if let output { try writeSnapshot(to: output) } else { try ask() } }
        guard let output else { return }
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
        if json { StandardOutput.print(JSONLine.encode(Line(photo))) }
    }

    /// Requests the photograph from a running flourish, and prints its path.
    private func ask() throws {
        var request: [String: JSONValue] = ["command": .text("photo")]
        if let at { request["time"] = .number(at.seconds) }
        if let photoQuality { request["photoQualityPrioritization"] = .text(photoQuality.rawValue) }
        let data = try client.connect().ask(request)
        guard case .object(let fields) = data else { return }
        if json {
            StandardOutput.print(JSONLine.encoded(data) ?? "null")
        } else if case .text(let path) = fields["path"] {
            StandardOutput.print(path)
        }
    }

    /// Requests the next frame of a running flourish's output, and writes it.
    private func writeSnapshot(to output: String) throws {
        // This process writes the file, because the running program may have another working directory and other rights.
        guard case .text(let text)? = try client.connect().ask(["command": .text("snapshot")])["png"],
            let png = Data(base64Encoded: text)
        else { throw FlourishError(.internal, "the reply has no picture") }
        guard output != "-" else {
            guard DescriptorOutput.write(Array(png), to: STDOUT_FILENO) == 0 else {
                throw FlourishError(.inputOutput, "the standard output cannot be written")
            }
            return
        }
        do { try png.write(to: URL(filePath: output), options: .withoutOverwriting) } catch {
            let exists = FileManager.default.fileExists(atPath: output)
            throw FlourishError(
                .outputUnavailable,
                "\(output) \(exists ? "exists" : "cannot be written"); choose another path")
        }
    }

    /// Finishes the deferred photographs of a folder, and prints each.
    private func finishDeferred(in folder: String) async throws {
        let developer = PhotoDeveloper()
        let interrupt = InterruptHandler { developer.stop() }
        defer { interrupt.cancel() }
        let all = try await developer.develop(folder, overwrite: outputs.replaces) { [json] finished in
            switch finished.result {
            case .developed(let photo):
                StandardOutput.print(json ? JSONLine.encode(Line(photo, path: finished.path)) : finished.path)
            case .busy: Console.warn("\(finished.path): another flourish is processing it")
            case .failed(let error): Console.error(error.line)
            }
        }
        if developer.isStopped {
            Console.error("stopped; run flourish photo --develop again to finish the rest")
            throw ExitStatus.interrupted
        }
        let failures = all.compactMap { if case .failed(let error) = $0.result { error.code } else { nil } }
        // If there are several errors, a missing part of the installation takes precedence over an unusable file.
        if let code = failures.first(where: { $0 != .inputUnusable }) ?? failures.first {
            throw ExitStatus.code(for: code)
        }
    }

    /// The line of JSON of a photograph. A deferred photograph has a path, others have a size and a choice.
    private struct Line: Encodable {
        var path: String?
        var time: Double
        var bytes: Int?
        var resolvedSettings: ResolvedPhotoSettings
        var choice: PhotoChoice?

        init(_ photo: Photo, path: String? = nil) {
            self.path = path
            (time, resolvedSettings) = (photo.time, photo.resolvedSettings)
            if path == nil { (bytes, choice) = (photo.fileDataRepresentation.count, photo.choice) }
        }
    }
}
