import ArgumentParser
import Flourish

/// `flourish plan scan`
struct PlanScanCommand: AsyncParsableCommand, SandboxedCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Look quickly through a share of a recording, so that several machines plan it together.",
        usage: "flourish plan scan INPUT --share K/N [--output SCAN] [options]",
        discussion: """
            Planning first looks quickly through all of a recording for places that are worth a close look, which is \
            nearly all of its work. Let each of N machines do so for a share, and join what they found: the plan is \
            the one that one machine makes. Every share reads the whole file, and decodes its part of it. Give all \
            the same options.

            EXAMPLES
              flourish plan scan long.mp4 --share 1/2          # writes long.scan-1-of-2.json
              flourish plan scan long.mp4 --share 2/2
              flourish plan long.mp4 --scans long.scan-*.json
            """)

    @Argument(help: "The recording; a file.", completion: .file())
    var input: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Which share this is, and of how many: 2/4.", valueName: "k/n"))
    var share: ShareArgument

    @Option(
        name: [.long, .customShort("o")],
        help: ArgumentHelp(
            "Where the scan goes; - is the standard output (default: beside the recording, call.scan-2-of-4.json for call.mp4).",
            valueName: "path"),
        completion: .file(extensions: ["json"]))
    var output: String?

    @OptionGroup(title: "Recognition") var recognition: RecognitionOptions
    @OptionGroup(title: "Input") var inputFormat: InputFormatOptions
    @OptionGroup(title: "Output") var outputs: OutputOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions
    @OptionGroup(title: "Sandbox") var sandbox: SandboxOptions

    private var path: String { output ?? PartialScan.path(for: input, share.share) }

    var needs: SandboxNeeds {
        var needs = SandboxNeeds()
        needs.read(input)
        needs.write(path)
        return needs
    }

    func run() async throws {
        try await Console.reportingErrors {
            messages.name(input)
            try OutputCheck.check(path, of: "--output", apartFrom: [input])
            let settings = try settings()
            let configuration = try configuration(settings)
            if path != "-" { try OutputCheck.check(path, input: input, overwrite: configuration.overwrite) }
            let run = SilentRun(messages: Messages(settings), input: input)
            let scan = try await run.run(configuration) { session, observer in
                try await session.scan(input, share: share.share, observer: observer)
            }
            if path == "-" {
                StandardOutput.print(scan.json, ending: "")
                try StandardOutput.check()
            } else {
                try TextFile.write(scan.json, to: path, overwrite: configuration.overwrite)
            }
        }
    }

    private func settings() throws(FlourishError) -> Settings {
        try files.load { settings throws(FlourishError) in
            try recognition.apply(to: &settings)
            try outputs.apply(to: &settings)
            try inputFormat.apply(to: &settings)
            try messages.apply(to: &settings)
        }
    }

    private func configuration(_ settings: Settings) throws(FlourishError) -> Configuration {
        var configuration = try settings.configuration()
        try settings.addUsersGestures(to: &configuration)
        inputFormat.apply(to: &configuration)
        return configuration
    }
}
