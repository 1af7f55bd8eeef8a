import ArgumentParser
import CSafeguard
import Flourish
import FoundationEssentials
import Platform

/// The program's entry and its list of commands.
@main
struct FlourishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flourish",
        abstract: "Answers hand gestures in a video with reactions.",
        usage: """
            flourish INPUT OUTPUT [options]
            flourish INPUT... --output-dir FOLDER [options]
            flourish <subcommand> …
            """,
        discussion: """
            Flourish reads a recorded call, sees the gestures that people make in it, draws \
            balloons, confetti, fireworks, lasers, rain, hearts and thumbs over the picture, \
            and writes the video again with everything else in it unchanged.

            EXAMPLES
              flourish call.mp4 reacted.mp4
              flourish filter call.mkv reacted.mkv --events events.jsonl
              flourish filter talk.mp4 out.mp4 --no-gestures --reaction confetti@12.5
              flourish filter calls/ --output-dir reacted/
              flourish detect call.mp4
              flourish preview fireworks fireworks.gif
              flourish --version --json

            EXIT CODES
            """ + "\n" + ExitStatus.table,
        version: FlourishVersion.number,
        subcommands: [
            FilterCommand.self, PlanCommand.self, ReviewCommand.self, DetectCommand.self, InspectCommand.self,
            ReactionsCommand.self,
            PerformCommand.self, CancelCommand.self, SnoozeCommand.self, SetCommand.self, WatchCommand.self,
            PreviewCommand.self, PhotoCommand.self, DevelopCommand.self, LearnCommand.self, GesturesCommand.self,
            PuppetCommand.self, DoctorCommand.self, ConfigCommand.self,
        ],
        defaultSubcommand: FilterCommand.self)

    /// On the main thread, since what threads that are there already may do the sandbox does not touch.
    @MainActor static func main() async {
        StandardOutput.fillGaps()
        Console.open()
        Safeguard.begin()
        do {
            if let script = CompletionScripts.script(for: RawArguments.all) {
                StandardOutput.print(script, ending: "")
                return try StandardOutput.check()
            }
            if let version = try VersionReport.text(for: RawArguments.all) {
                StandardOutput.print(version)
                return try StandardOutput.check()
            }
            try ArgumentCheck.check(RawArguments.all)
            let command = try parseAsRoot(RawArguments.all)
            Sandbox.enter(for: command)
            try await perform(command)
            try StandardOutput.check()
        } catch {
            UsageError.exit(with: error)
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
}

/// What holds where a library in the process fails it.
enum Safeguard {
    /// Notes from now on what memory is refused, and ends the program in order where a library would end it: with a line and
    /// an exit code, and without unfinished files.
    ///
    /// Swift's runtime would otherwise start a program that tells of the fault, which the sandbox refuses after seconds of
    /// trying. Who sets `SWIFT_BACKTRACE` or `FLOURISH_CORE` wants the fault itself.
    static func begin() {
        RefusedMemory.count { csafeguard_refusals() }
        guard unsafe getenv("SWIFT_BACKTRACE") == nil, unsafe getenv("FLOURISH_CORE") == nil else { return }
        TemporaryFile.watch { path, isUnfinished in
            unsafe isUnfinished ? csafeguard_note(path) : csafeguard_forget(path)
        }
        csafeguard_end_in_order(Console.descriptor, ExitStatus.code(for: .internal).rawValue)
    }
}

/// What `--version` says, which is more than the number that ArgumentParser knows.
enum VersionReport {
    /// - Parameter arguments: the program's.
    /// - Returns: `nil` where they ask for something else.
    static func text(for arguments: some Collection<String>) throws -> String? {
        switch Array(arguments) {
        case ["--version"]: words(FlourishVersion())
        case ["--version", "--json"], ["--json", "--version"]: try json(FlourishVersion())
        default: nil
        }
    }

    private static func words(_ version: FlourishVersion) -> String {
        let commit = version.commit.map { " (\($0.prefix(12))\($0.hasSuffix("-modified") ? ", modified" : ""))" } ?? ""
        let ffmpeg = version.ffmpeg.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return """
            flourish \(version.version)\(commit)
            FFmpeg: \(ffmpeg.joined(separator: ", "))
            LiteRT: \(version.liteRT ?? "not found; flourish doctor says how to get it")
            """
    }

    private static func json(_ version: FlourishVersion) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(version), as: UTF8.self)
    }
}
