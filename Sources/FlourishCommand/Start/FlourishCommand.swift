import ArgumentParser
import CSafeguard
import Flourish
import Platform
import Synchronization

/// The program's entry point and its list of commands.
@main
struct FlourishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flourish",
        abstract: "Detect hand gestures in a video, and draw reactions over it.",
        usage: """
            flourish INPUT OUTPUT [options]
            flourish INPUT... --output-dir FOLDER [options]
            flourish <subcommand> …
            """,
        discussion: """
            Flourish detects the gestures of people in a recorded call or a live stream, draws \
            \(ReactionType.builtInNouns) over the picture, \
            and writes the video. All other streams and metadata are copied.

            EXAMPLES
              flourish call.mp4 reacted.mp4
              flourish filter call.mkv reacted.mkv --events events.jsonl
              flourish filter talk.mp4 out.mp4 --no-gestures --reaction confetti@12.5
              flourish filter calls/ --output-dir reacted/
              flourish detect call.mp4
              flourish evaluate calls/
              flourish preview fireworks fireworks.gif
              flourish --version --json

            EXIT CODES
            """ + "\n" + ExitStatus.table,
        version: FlourishVersion.number,
        groupedSubcommands: [
            CommandGroup(
                name: "Recording",
                subcommands: [
                    FilterCommand.self, DetectCommand.self, PlanCommand.self, ReviewCommand.self, PhotoCommand.self,
                    InspectCommand.self, EvaluateCommand.self,
                ]),
            CommandGroup(name: "Live", subcommands: [CameraCommand.self, ControlClientCommand.self]),
            CommandGroup(
                name: "Effect and gesture",
                subcommands: [
                    ReactionsCommand.self, PreviewCommand.self, EffectsCommand.self, PacksCommand.self,
                    LearnCommand.self, GesturesCommand.self,
                ]),
            CommandGroup(name: "Tool", subcommands: [ConfigCommand.self, DoctorCommand.self, PuppetCommand.self]),
        ],
        defaultSubcommand: FilterCommand.self)

    /// The answer to a command line without arguments.
    private static let introduction = """
        Flourish detects hand gestures in a video, and draws reactions over it.

          flourish call.mp4 reacted.mp4     write a recorded call with reactions
          flourish detect call.mp4          print its gestures and reactions
          flourish camera                   offer a camera with reactions to all programs
        flourish --help lists all commands, and flourish filter --help the usual options.

        """

    /// Runs on the main thread: the sandbox does not restrict threads that already exist.
    @MainActor static func main() async {
        StandardOutput.fillGaps()
        Console.open()
        installSafeguard()
        do {
            if let script = CompletionScripts.script(for: CommandLine.rawArguments) {
                StandardOutput.print(script, ending: "")
                return try StandardOutput.check()
            }
            // ArgumentParser would print only the number of the version.
            if CommandLine.rawArguments == ["--version"] {
                StandardOutput.print(FlourishVersion().text)
                return try StandardOutput.check()
            }
            if Set(CommandLine.rawArguments) == ["--version", "--json"] {
                try StandardOutput.print(json: FlourishVersion())
                return try StandardOutput.check()
            }
            let words = Words.current(CommandLine.rawArguments)
            if words.isEmpty { refuse(introduction) }
            if let fault = Words.fault(in: words) { refuse("flourish: \(fault.printable); see flourish --help\n") }
            HelpOptions.isBrief.store(Words.requestBriefHelp(words), ordering: .relaxed)
            let command = try parseAsRoot(words)
            Sandbox.enter(for: command)
            try await perform(command)
            try StandardOutput.check()
        } catch {
            exit(reporting: error)
        }
    }

    /// Prints a message to the standard error, and ends the program as after an error of usage.
    private static func refuse(_ message: String) -> Never {
        Console.write(message)
        exit(withError: ExitCode.validationFailure)
    }

    private nonisolated static func perform(_ command: any ParsableCommand) async throws {
        var command = command
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    /// Counts refused allocations from now on. If a library is about to abort the program, ends it in a controlled way
    /// instead: with a message, an exit code, and no unfinished files.
    ///
    /// Without this, Swift's runtime would try to start a program that prints a backtrace. In the sandbox, these
    /// attempts take seconds before they fail. If `SWIFT_BACKTRACE` or `FLOURISH_CORE` is in the environment, the fault
    /// is not intercepted.
    private static func installSafeguard() {
        RefusedMemory.count { csafeguard_refusals() }
        guard unsafe getenv("SWIFT_BACKTRACE") == nil, unsafe getenv("FLOURISH_CORE") == nil else { return }
        TemporaryFile.watch { path, isUnfinished in
            unsafe isUnfinished ? csafeguard_note(path) : csafeguard_forget(path)
        }
        csafeguard_end_in_order(Console.descriptor, ExitStatus.code(for: .internal).rawValue)
    }
}

// MARK: - Errors of usage

extension FlourishCommand {
    /// Ends the program after an error of any kind. Errors are printed on one line.
    private static func exit(reporting error: any Error) -> Never {
        let failure = error as? FlourishError
        if let failure, failure.code != .outputClosed { Console.error(failure.line) }
        // A thread that writes a file removes it when it ends, but the process may end first.
        UnfinishedOutputs.remove()
        if let failure { exit(withError: ExitStatus.code(for: failure.code)) }
        // A command that ends with an exit code has already printed a message.
        guard !(error is ExitCode), exitCode(for: error) == .validationFailure else {
            exit(withError: error)
        }
        Console.error("\(line(message(for: error))); see \(Words.help(for: Words.current(CommandLine.rawArguments)))")
        exit(withError: ExitCode.validationFailure)
    }

    /// Returns a message of ArgumentParser in the form of all other messages: one line that begins with a small letter
    /// and ends without a full stop.
    private static func line(_ message: String) -> String {
        var line = message.replacing(":\n  - ", with: ": ").replacing("\n  - ", with: ", ")
            .split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }.joined(separator: " ")
        while line.hasSuffix(".") { line.removeLast() }
        // Names and acronyms keep their case.
        let first = line.split(separator: " ").first ?? ""
        guard first.dropFirst().allSatisfy(\.isLowercase) else { return line }
        return line.prefix(1).lowercased() + line.dropFirst()
    }
}

extension FlourishVersion {
    /// The answer to `--version`.
    fileprivate var text: String {
        let commit = commit.map { " (\($0.prefix(12))\($0.hasSuffix("-modified") ? ", modified" : ""))" } ?? ""
        let ffmpeg = ffmpeg.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return """
            flourish \(version)\(commit)
            FFmpeg \(ffmpegRelease), built with \(ffmpegBuilt): \(ffmpeg.joined(separator: ", "))
            LiteRT: \(liteRT ?? "not found; run flourish doctor for instructions")
            """
    }
}
