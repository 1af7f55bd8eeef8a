import ArgumentParser
import Flourish
import Platform
import Synchronization

/// The work that a signal ends, for a command with several phases: a second ``InterruptHandler`` receives no signals.
final class StopAction: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    func set(_ stop: @escaping @Sendable () -> Void) { action.withLock { $0 = stop } }

    func run() { action.withLock { $0 }?() }
}

/// Runs a batch for a command, with progress, a final table, signal handlers and exit codes.
struct BatchRunner {
    let messages: Messages
    let isDryRun: Bool
    /// The commands that run at events.
    var hooks = HookSettings()

    /// - Throws: `FlourishError`, and an exit code unless all recordings succeeded.
    func run(_ request: BatchRequest) async throws {
        if isDryRun { return try await printPreview(of: request) }
        try Self.end(try await report(of: request))
    }

    /// Runs a batch, and returns its result after printing it.
    ///
    /// - Parameter stop: The action of a signal handler that the caller owns; if `nil`, the batch has its own handler.
    /// - Throws: `FlourishError` if nothing can be done at all.
    func report(of request: BatchRequest, stop: StopAction? = nil) async throws -> BatchReport {
        let batch = prepared(request)
        let display = BatchDisplay(style: messages.progress)
        let level = messages.level
        let hooks = HookRunner(hooks) { message in
            guard level >= .warning else { return }
            display.interrupted { Console.warn(message) }
        }
        let end: @Sendable () -> Void = {
            batch.stop()
            hooks?.hasten()
        }
        let interrupt = stop == nil ? InterruptHandler(end) : nil
        stop?.set(end)
        defer { interrupt?.cancel() }
        let observer = BatchObserver(
            result: { display.show($0) }, progress: { display.show($0) },
            event: { input, event in
                hooks?.enqueue(event, of: input.description)
                guard let line = Self.line(for: event, of: input, at: level) else { return }
                display.interrupted { Console.write("flourish: \(line.printable)\n") }
            })
        let report: BatchReport
        do { report = try await batch.run(observer: observer) } catch {
            display.finish(nil)
            await hooks?.finish(level: level)
            throw error
        }
        await hooks?.finish(level: level)
        display.finish(report)
        printSummary(report)
        return report
    }

    private func prepared(_ request: BatchRequest) -> BatchRun {
        ProcessMemory.shareBetweenThreads()
        signal(SIGPIPE, SIG_IGN)
        MediaLogging.set(verbose: messages.level == .debug)
        return BatchRun(request)
    }

    /// Prints a preview of the run to the standard output.
    private func printPreview(of request: BatchRequest) async throws {
        let batch = prepared(request)
        let interrupt = InterruptHandler { batch.stop() }
        defer { interrupt.cancel() }
        let report = try await batch.preview()
        for line in report.lines(open: "to do") { StandardOutput.print(line) }
        StandardOutput.print(report.summary(open: "to do"))
        try StandardOutput.check()
        try Self.end(report)
    }

    private func printSummary(_ report: BatchReport) {
        if messages.level >= .warning, messages.progress != .json {
            for line in report.lines(open: nil) { Console.write(line + "\n") }
            Console.error(report.summary(open: "not started"))
        } else if messages.progress != .json {
            // Failures are printed at every level.
            for result in report.results where result.state == .failed {
                Console.error("\(result.input): \(result.reasonLine)")
            }
        }
    }

    /// - Throws: An error or an exit code unless all recordings succeeded.
    static func end(_ report: BatchReport) throws {
        if let failure = report.failure { throw failure }
        if report.wasStopped { throw ExitStatus.interrupted }
        if report.count(.failed) > 0 { throw ExitStatus.code(for: .inputUnusable) }
    }

    private static func line(for event: ReactionEvent, of input: BatchPath, at level: LogLevel) -> String? {
        switch event.kind {
        case .warning(let code, let message) where level >= .warning && code != .interrupted:
            let prefix = "\(input): "
            return prefix + "warning: " + (message.hasPrefix(prefix) ? message.dropFirst(prefix.count) : message[...])
        case .photoFailed(_, let message) where level >= .warning: return "\(input): warning: \(message)"
        case .effectStarted(let effect) where level >= .info:
            return "\(input): \(effect.reactionType) at \(event.time) s (\(effect.trigger.rawValue))"
        default: return level >= .debug ? "\(input): \(event.jsonLine)" : nil
        }
    }
}

extension BatchReport {
    /// Returns a line for each recording, except for recordings that an earlier run finished.
    ///
    /// - Parameter open: The word for recordings that are not done; `nil` leaves them out.
    fileprivate func lines(open: String?) -> [String] {
        let listed = results.filter { result in
            result.state == .open
                ? open != nil || result.isInterrupted : result.state != .skipped || !result.isFromBefore
        }
        let names = listed.map(\.names.printable)
        let stateWidth = listed.contains(where: \.isInterrupted) ? 11 : 8
        let width = min(names.map(\.count).max() ?? 0, 60)
        return zip(listed, names).map { result, name in
            let facts = result.facts.printable
            return Wording.padded(result.word(open: open ?? ""), to: stateWidth) + " "
                + (facts.isEmpty ? name : Wording.padded(name, to: width) + "  " + facts)
        }
    }

    /// Returns a summary such as `2 done, 1 skipped, 1 failed, 12 done before; 3 other files ignored; 0:34`. For a
    /// batch that was stopped, it is, for example, `stopped: 2 done, 1 interrupted, 9 not started; 0:34; run it again
    /// to resume`.
    ///
    /// - Parameter open: The word for recordings that are not done.
    fileprivate func summary(open: String) -> String {
        let before = results.count { $0.state == .skipped && $0.isFromBefore }
        let broken = results.count(where: \.isInterrupted)
        let counts = [
            (count(.done), "done"), (broken, "interrupted"), (count(.open) - broken, open),
            (count(.skipped) - before, "skipped"), (count(.failed), "failed"), (before, "done before"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        var parts = [counts.isEmpty ? "no recording was found" : counts.joined(separator: ", ")]
        if otherFiles > 0 { parts.append("\(Wording.count(otherFiles, "other file")) ignored") }
        if count(.done) > 0 { parts.append(Wording.clock(seconds)) }
        guard wasStopped else { return parts.joined(separator: "; ") }
        return "stopped: " + (parts + ["run it again to resume"]).joined(separator: "; ")
    }
}

extension BatchResult {
    /// The reason why a recording is not done, and the remedy.
    var reasonLine: String {
        guard let reason else { return "" }
        return FlourishError(.usage, reason, remedy: remedy).line
            + (state == .failed && isFromBefore ? " (in an earlier run; --retry-failed retries)" : "")
    }

    /// The input, followed by the output if the batch makes or made one.
    fileprivate var names: String {
        let isMade = state == .done || state == .open
        return "\(input)" + (isMade ? output.map { " → \($0)" } ?? "" : "")
    }

    fileprivate var facts: String {
        guard state == .done else { return reasonLine }
        let facts = [Wording.count(reactions, "reaction")] + (bytes.map { [Wording.size($0)] } ?? [])
        return (facts + (isDamaged ? ["damaged: parts are missing"] : [])).joined(separator: ", ")
    }

    fileprivate func word(open: String) -> String {
        isInterrupted ? "interrupted" : state == .open ? open : state.rawValue
    }
}
