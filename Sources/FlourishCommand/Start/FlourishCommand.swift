import ArgumentParser
import CSafeguard
import Flourish
import FoundationEssentials
import Platform

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
        subcommands: [
            FilterCommand.self, CameraCommand.self, PlanCommand.self, ReviewCommand.self, DetectCommand.self,
            InspectCommand.self, EvaluateCommand.self,
            ReactionsCommand.self,
            PerformCommand.self, CancelCommand.self, SnoozeCommand.self, SetCommand.self, WatchCommand.self,
            SnapshotCommand.self, QuitCommand.self,
            PreviewCommand.self, EffectsCommand.self, PhotoCommand.self, DevelopCommand.self, LearnCommand.self,
            GesturesCommand.self,
            PuppetCommand.self, DoctorCommand.self, ConfigCommand.self,
        ],
        defaultSubcommand: FilterCommand.self)

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
            if let version = try FlourishVersion.report(for: CommandLine.rawArguments) {
                StandardOutput.print(version)
                return try StandardOutput.check()
            }
            try ArgumentCheck.check(CommandLine.rawArguments)
            let command = try parseAsRoot(ArgumentCheck.completed(CommandLine.rawArguments))
            Sandbox.enter(for: command)
            try await perform(command)
            try StandardOutput.check()
        } catch {
            exit(reporting: error)
        }
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

extension FlourishVersion {
    /// Returns the output of `--version`, as text or as JSON; `nil` if the arguments do not request it.
    ///
    /// ArgumentParser would print only the number.
    fileprivate static func report(for arguments: some Collection<String>) throws -> String? {
        switch Array(arguments) {
        case ["--version"]: FlourishVersion().text
        case ["--version", "--json"], ["--json", "--version"]: try FlourishVersion().json
        default: nil
        }
    }

    private var text: String {
        let commit = commit.map { " (\($0.prefix(12))\($0.hasSuffix("-modified") ? ", modified" : ""))" } ?? ""
        let ffmpeg = ffmpeg.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return """
            flourish \(version)\(commit)
            FFmpeg \(ffmpegRelease), built with \(ffmpegBuilt): \(ffmpeg.joined(separator: ", "))
            LiteRT: \(liteRT ?? "not found; run flourish doctor for instructions")
            """
    }

    private var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
