import Flourish
import Platform

/// Renders the reviewed plan, one rendering at a time, and publishes the progress.
///
/// The output is written to a draft file, which is renamed to the output's name when it is complete.
actor ReviewRendering {
    /// The reason for refusing to begin.
    enum Refusal: Error {
        case isRunning
        /// The output exists, and the request does not allow it to be replaced.
        case exists
        case impossible(String)
    }

    private let input: String
    let output: String
    private let configuration: Configuration
    private let board: ReviewBoard
    /// The output of the last rendering; `nil` before.
    private(set) var result: FileStamp?
    private var session: ReactionSession?
    private var work: Task<Void, Never>?

    init(_ input: String, to output: String, _ configuration: Configuration, board: ReviewBoard) {
        self.input = input
        self.output = output
        self.board = board
        self.configuration = configuration
        board.publish(.render, Self.state("idle"))
    }

    /// Begins to render.
    ///
    /// - Parameters:
    ///   - revision: The plan's revision, by which pages see whether the output has all of their changes.
    ///   - replaces: A Boolean value that indicates whether an existing output may be replaced.
    func start(_ plan: ReactionPlan, revision: Int, replaces: Bool) throws(Refusal) {
        if session != nil { throw .isRunning }
        do throws(FlourishError) { try OutputCheck.check(output, input: input, overwrite: true) } catch {
            throw .impossible(error.problem)
        }
        if !replaces, OutputCheck.exists(output) { throw .exists }
        removeLeftovers()
        var configuration = configuration
        configuration.scheduledReactions = []
        configuration.overwrite = true
        // Otherwise the session would rename a cancelled draft, and the draft would not be removed.
        configuration.keepsPartialOutput = true
        let session = ReactionSession(configuration: configuration)
        self.session = session
        board.publish(.render, Self.state("running", ["fraction": .number(0)]))
        work = Task {
            let end = await render(plan, revision, by: session, replaces: replaces)
            self.session = nil
            board.publish(.render, end)
        }
    }

    /// Cancels the rendering and removes its draft.
    func cancel() { session?.stop() }

    /// Cancels the rendering, and waits until it has ended.
    func finish() async {
        cancel()
        await work?.value
    }

    private func render(_ plan: ReactionPlan, _ revision: Int, by session: ReactionSession, replaces: Bool) async
        -> JSONValue
    {
        let log = RenderLog()
        let draft = draft
        defer { _ = unsafe unlink(draft) }
        do throws(FlourishError) {
            let throttle = ProgressThrottle(board, .render)
            let observer = SessionObserver(
                event: { log.record($0) },
                progress: { step in
                    throttle.publish(
                        Self.state(
                            "running",
                            ["fraction": step.fraction.map { .number($0) } ?? .null, "pass": .text(step.pass.rawValue)])
                    )
                })
            let outcome = try await session.render(plan, from: input, to: draft, observer: observer)
            if outcome.interrupted { return Self.state("cancelled") }
            do throws(FileError) { try TemporaryFile.publish(draft, as: output, overwrite: replaces) } catch {
                throw FlourishError(error)
            }
            result = FileStamp(of: output)
            var fields = log.fields(of: outcome, at: output)
            fields["revision"] = .integer(revision)
            if let facts = try? RecordingFacts(of: output, configuration) {
                (fields["startTime"], fields["clockStart"]) = (.number(facts.startTime), .number(facts.clockStart))
            }
            return Self.state("done", fields)
        } catch {
            if error.code == .interrupted { return Self.state("cancelled") }
            let message = error.problem.split(separator: draft, omittingEmptySubsequences: false).joined(
                separator: output)
            return Self.state("failed", ["message": .text(message)])
        }
    }

    /// The path of the draft: a hidden file in the output's folder, with the output's extension.
    private var draft: String {
        let name = draftName
        return "\(TemporaryFile.folder(of: output))\(name.start)\(getpid())\(name.ending)"
    }

    /// The parts of the draft's name before and after the process's number.
    private var draftName: (start: String, ending: Substring) {
        let name = output.dropFirst(TemporaryFile.folder(of: output).count)
        let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        return (".\(name.dropLast(ending.count)).rendering-", ending)
    }

    /// Removes complete and partial drafts of reviews that were killed.
    private func removeLeftovers() {
        let (start, ending) = draftName
        _ = TemporaryFile.removeLeftovers(in: TemporaryFile.folder(of: output)) { name in
            let isGrowing = name.hasPrefix("." + start)
            guard isGrowing || name.hasPrefix(start) else { return nil }
            let rest = name.dropFirst(start.count + (isGrowing ? 1 : 0))
            let number = rest.prefix { $0.isWholeNumber }
            let end = isGrowing ? "\(ending).partial-\(number)" : String(ending)
            return rest.dropFirst(number.count) == end ? pid_t(number) : nil
        }
    }

    private static func state(_ phase: String, _ fields: [String: JSONValue] = [:]) -> JSONValue {
        .object(fields.merging(["phase": .text(phase)]) { $1 })
    }
}

/// The warnings of a rendering.
private final class RenderLog: Sendable {
    private static let maximumWarnings = 20

    private let state = Slot<(wholeReason: String?, warnings: [String])>((nil, []))

    func record(_ event: ReactionEvent) {
        switch event.kind {
        case .streamStarted(let stream): state.value.wholeReason = stream.wholeReason
        case .warning(let code, let message) where code != .interrupted:
            if state.value.warnings.count < Self.maximumWarnings { state.value.warnings.append(message) }
        default: break
        }
    }

    /// Returns the result of the rendering, as fields of its state.
    func fields(of outcome: SessionOutcome, at output: String) -> [String: JSONValue] {
        let summary = outcome.summary
        var fields: [String: JSONValue] = [
            "output": .text(output), "seconds": .number(summary.seconds),
            "effects": .integer(summary.effects.values.reduce(0, +)),
            "bytes": FileStamp(of: output).map { .integer($0.size) } ?? .null,
            "wholeReason": state.value.wholeReason.map { .text($0) } ?? .null,
            "warnings": .array(state.value.warnings.map { .text($0) }),
        ]
        if let smart = summary.smartRender {
            fields["framesCopied"] = .integer(smart.framesCopied)
            fields["framesEncoded"] = .integer(smart.framesEncoded)
            fields["secondsEncoded"] = .number(smart.spans.reduce(0) { $0 + $1.endTime - $1.startTime })
        }
        return fields
    }
}
