import Flourish
import Platform

/// Renders the plan that is reviewed, once at a time, and tells how that goes.
///
/// The output grows under a name of its own: whatever becomes of the rendering, what has the output's name is whole.
actor ReviewRendering {
    /// Why it does not begin.
    enum Refusal: Error {
        case isRunning
        /// There is a file already, which nobody said may be replaced.
        case exists
        case impossible(String)
    }

    private let input: String
    let output: String
    private let configuration: Configuration
    private let board: ReviewBoard
    private var session: ReactionSession?
    private var work: Task<Void, Never>?

    init(_ input: String, to output: String, _ configuration: Configuration, board: ReviewBoard) {
        self.input = input
        self.output = output
        self.board = board
        self.configuration = configuration
        board.tell(.render, Self.state("idle"))
    }

    /// Begins.
    ///
    /// - Parameter replaces: whether a file that is there already may be replaced.
    func start(_ plan: ReactionPlan, replaces: Bool) throws(Refusal) {
        if session != nil { throw .isRunning }
        do throws(FlourishError) { try OutputCheck.check(output, input: input, overwrite: true) } catch {
            throw .impossible(error.problem)
        }
        if !replaces, OutputCheck.exists(output) { throw .exists }
        removeLeftovers()
        var configuration = configuration
        configuration.scheduledReactions = []
        configuration.overwrite = true
        // What is there when it is cancelled is known by its name.
        configuration.keepsPartialOutput = true
        let session = ReactionSession(configuration: configuration)
        self.session = session
        board.tell(.render, Self.state("running", ["fraction": .number(0)]))
        work = Task {
            let end = await render(plan, by: session, replaces: replaces)
            self.session = nil
            board.tell(.render, end)
        }
    }

    /// Ends it; nothing is left of it.
    func cancel() { session?.stop() }

    /// Ends it, and waits until it has ended.
    func finish() async {
        cancel()
        await work?.value
    }

    private func render(_ plan: ReactionPlan, by session: ReactionSession, replaces: Bool) async -> ControlValue {
        let notes = RenderNotes()
        let draft = draft
        defer { _ = unsafe unlink(draft) }
        do throws(FlourishError) {
            let pace = ProgressPace(board, .render)
            let observer = SessionObserver(
                event: { notes.note($0) },
                progress: { step in
                    pace.tell(
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
            return Self.state("done", notes.fields(of: outcome, at: output))
        } catch {
            if error.code == .interrupted { return Self.state("cancelled") }
            let told = error.problem.split(separator: draft, omittingEmptySubsequences: false).joined(separator: output)
            return Self.state("failed", ["message": .text(told)])
        }
    }

    /// Where it grows: beside the output, hidden, with its ending.
    private var draft: String {
        let name = draftName
        return "\(TemporaryFile.folder(of: output))\(name.start)\(getpid())\(name.ending)"
    }

    /// What stands before and after the process's number.
    private var draftName: (start: String, ending: Substring) {
        let name = output.dropFirst(TemporaryFile.folder(of: output).count)
        let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        return (".\(name.dropLast(ending.count)).rendering-", ending)
    }

    /// Removes what reviews that were killed have left: drafts, and what was to become one.
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

    private static func state(_ phase: String, _ fields: [String: ControlValue] = [:]) -> ControlValue {
        .object(fields.merging(["phase": .text(phase)]) { $1 })
    }
}

/// What a rendering told on its way.
private final class RenderNotes: Sendable {
    private static let mostWarnings = 20

    private let told = Slot<(wholeReason: String?, warnings: [String])>((nil, []))

    func note(_ event: ReactionEvent) {
        switch event.kind {
        case .streamStarted(let stream): told.value.wholeReason = stream.wholeReason
        case .warning(let code, let message) where code != .interrupted:
            if told.value.warnings.count < Self.mostWarnings { told.value.warnings.append(message) }
        default: break
        }
    }

    /// What it came to.
    func fields(of outcome: SessionOutcome, at output: String) -> [String: ControlValue] {
        let summary = outcome.summary
        var fields: [String: ControlValue] = [
            "output": .text(output), "seconds": .number(summary.seconds),
            "effects": .integer(summary.effects.values.reduce(0, +)),
            "bytes": FileStamp(of: output).map { .integer($0.size) } ?? .null,
            "wholeReason": told.value.wholeReason.map { .text($0) } ?? .null,
            "warnings": .list(told.value.warnings.map { .text($0) }),
        ]
        if let smart = summary.smartRender {
            fields["framesCopied"] = .integer(smart.framesCopied)
            fields["framesEncoded"] = .integer(smart.framesEncoded)
            fields["secondsEncoded"] = .number(smart.spans.reduce(0) { $0 + $1.endTime - $1.startTime })
        }
        return fields
    }
}
