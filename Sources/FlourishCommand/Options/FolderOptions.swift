import ArgumentParser
import Flourish
import FlourishControl
import Platform

/// The options of commands that process many recordings.
struct BatchOptions: ParsableArguments {
    @Flag(help: "Search subfolders.")
    var recursive = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of recordings processed in parallel; limited by memory (default: chosen by the number of cores).",
            valueName: "n"))
    var jobs: Int?

    @Flag(help: "Retry recordings that failed before, even if neither the recording nor the options changed.")
    var retryFailed = false

    func validate() throws {
        if let jobs, jobs < 1 { throw ValidationError("--jobs must be 1 or more, not \(jobs)") }
    }

    /// Returns the request of a batch.
    func request(
        _ inputs: [String], into folder: String, _ product: BatchRequest.Product, _ configuration: Configuration
    ) throws(FlourishError) -> BatchRequest {
        if inputs.contains("-") {
            throw FlourishError(.usage, "the standard input cannot be used here; give files or folders")
        }
        var request = BatchRequest(
            inputs.map { BatchPath(argument: $0) }, into: BatchPath(argument: folder), configuration: configuration)
        request.product = product
        request.isRecursive = recursive
        request.jobs = jobs
        request.retriesFailed = retryFailed
        return request
    }
}

/// The options of commands that process either one recording or, with an output folder, many.
struct FolderOptions: ParsableArguments {
    @OptionGroup var batch: BatchOptions

    @Option(
        help: ArgumentHelp(
            "The template of output names, with {stem}, {ext} and {name}: '{stem}-reacted{ext}'.",
            valueName: "template"))
    var name: String?

    @Flag(help: "Print what would be done; write nothing.")
    var dryRun = false

    /// The options, each with true if it is given.
    var given: [(String, Bool)] {
        [
            ("--recursive", batch.recursive), ("--jobs", batch.jobs != nil), ("--name", name != nil),
            ("--dry-run", dryRun), ("--retry-failed", batch.retryFailed),
        ]
    }

    /// Refuses arguments and options for many recordings if there is only one.
    ///
    /// Must be called by `run`, not by `validate`: the value of a misspelt option is parsed as a further argument, and the
    /// parser reports the misspelt option after the validation.
    ///
    /// - Parameters:
    ///   - input: The recording.
    ///   - more: The additional arguments, which one recording does not use.
    ///   - option: The option that names the folder for many recordings.
    ///   - output: The option that names the output of one recording; `nil` if there is none.
    func refuseForOne(
        _ input: String, more: some BidirectionalCollection<String>, option: String, output: String? = nil
    ) throws {
        if let first = more.first, let last = more.last {
            let folder = last.hasSuffix("/") || Self.isFolder(last) ? last : "FOLDER"
            let single = more.count == 1 ? output.map { "; to write it there, add \($0) \(first)" } ?? "" : ""
            throw ValidationError(
                (more.count == 1
                    ? "Unexpected argument '\(first)'"
                    : "\(more.count) unexpected arguments: \(more.map { "'\($0)'" }.joined(separator: ", "))")
                    + single + "; for several recordings, name the output folder: \(option) \(folder)")
        }
        if Self.isFolder(input) {
            throw ValidationError("\(input) is a folder; for its recordings, name the output folder: \(option) FOLDER")
        }
        if let given = given.first(where: \.1)?.0 {
            throw ValidationError("\(given) requires \(option)")
        }
    }

    static func isFolder(_ path: String) -> Bool {
        guard case .success(let status) = RawFile.status(RawName.bytes(path)) else { return false }
        return status.kind == .folder
    }

    /// Refuses options for one recording if there are many.
    ///
    /// - Parameter idle: The options, each with true if it is given.
    static func refuseForMany(_ idle: [(String, Bool)], option: String) throws {
        guard let given = idle.first(where: \.1)?.0 else { return }
        throw ValidationError("\(given) and \(option) cannot be combined; use one")
    }

    /// Returns the request of a batch.
    func request(
        _ inputs: [String], into folder: String, _ product: BatchRequest.Product, _ configuration: Configuration
    ) throws(FlourishError) -> BatchRequest {
        var request = try batch.request(inputs, into: folder, product, configuration)
        request.name = try name.map { template throws(FlourishError) in try NameTemplate(template) }
        return request
    }
}
