import ArgumentParser
import Flourish

/// How many recordings are worked on in one command.
struct FolderOptions: ParsableArguments {
    @Flag(help: "Look through folders in folders, too.")
    var recursive = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many recordings are worked on at once; never more than there is memory for (default: what keeps the cores busy).",
            valueName: "n"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "How outputs are called after their inputs, with {stem}, {ext} and {name}: '{stem}-reacted{ext}'.",
            valueName: "template"))
    var name: String?

    @Flag(help: "Say what would be done, and write nothing.")
    var dryRun = false

    @Flag(help: "Try again what failed before, although neither the recording nor the options changed.")
    var retryFailed = false

    func validate() throws {
        if let jobs, jobs < 1 { throw ValidationError("--jobs must be 1 or more, not \(jobs)") }
    }

    /// The options, and whether each was given.
    var given: [(String, Bool)] {
        [
            ("--recursive", recursive), ("--jobs", jobs != nil), ("--name", name != nil), ("--dry-run", dryRun),
            ("--retry-failed", retryFailed),
        ]
    }

    /// Refuses, for one recording, what is for many.
    ///
    /// - Parameters:
    ///   - more: names beyond those that one recording takes.
    ///   - option: what names the folder for many.
    ///   - command: whose options those on the command line are.
    func refuseForOne(more: [String], option: String, of command: any ParsableCommand.Type) throws {
        // The value of a misspelt option looks like one name more; the parser tells of the option itself.
        if let first = more.first, !Self.isMisspelt(command) {
            throw ValidationError(
                more.count == 1
                    ? "Unexpected argument '\(first)'"
                    : "\(more.count) unexpected arguments: \(more.map { "'\($0)'" }.joined(separator: ", "))")
        }
        if let given = given.first(where: \.1)?.0 {
            throw ValidationError("\(given) is for many recordings, with \(option)")
        }
    }

    /// Whether the command line holds an option that a command has not.
    private static func isMisspelt(_ command: any ParsableCommand.Type) -> Bool {
        let help = command.helpMessage()
        let known = Set(help.split { !$0.isLetter && !$0.isNumber && $0 != "-" })
        return RawArguments.all.prefix { $0 != "--" }.contains { argument in
            argument.hasPrefix("--") && !known.contains(argument.prefix { $0 != "=" })
        }
    }

    /// Refuses, for many recordings, what is for one.
    ///
    /// - Parameter idle: options, and whether each was given.
    static func refuseForMany(_ idle: [(String, Bool)], option: String) throws {
        guard let given = idle.first(where: \.1)?.0 else { return }
        throw ValidationError("\(given) is for one recording; leave it or \(option) out")
    }

    /// What is to be done.
    func request(
        _ inputs: [String], into folder: String, _ product: BatchRequest.Product, _ configuration: Configuration
    ) throws(FlourishError) -> BatchRequest {
        if inputs.contains("-") {
            throw FlourishError(.usage, "the standard input is no file; many recordings must be files or folders")
        }
        var request = BatchRequest(
            inputs.map { BatchPath(argument: $0) }, into: BatchPath(argument: folder), configuration: configuration)
        request.product = product
        request.isRecursive = recursive
        request.jobs = jobs
        request.name = try name.map { template throws(FlourishError) in try NameTemplate(template) }
        request.retriesFailed = retryFailed
        return request
    }
}
