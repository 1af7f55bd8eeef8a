import ArgumentParser
import Flourish
import Platform

/// Runs a batch as the command line does: with progress, a table at the end, signals and exit codes.
struct BatchRunner {
    let messages: Messages
    let isDryRun: Bool

    /// - Throws: `FlourishError`, and an exit code where it did not all go well.
    func run(_ request: BatchRequest) async throws {
        ProcessMemory.shareBetweenThreads()
        signal(SIGPIPE, SIG_IGN)
        MediaLogging.set(verbose: messages.level == .debug)
        let batch = BatchRun(request)
        let interrupt = InterruptHandler { batch.stop() }
        defer { interrupt.cancel() }
        if isDryRun { return try await tellOutlook(of: batch) }
        let display = BatchDisplay(style: messages.progress)
        let level = messages.level
        let observer = BatchObserver(
            result: { display.note($0) }, progress: { display.show($0) },
            event: { input, event in
                guard let line = Self.line(for: event, of: input, at: level) else { return }
                display.interrupted { Console.write("flourish: \(line.printable)\n") }
            })
        let report: BatchReport
        do { report = try await batch.run(observer: observer) } catch {
            display.finish(nil)
            throw error
        }
        display.finish(report)
        tell(report)
        try end(report)
    }

    /// What a run would do, on the standard output.
    private func tellOutlook(of batch: BatchRun) async throws {
        let report = try await batch.outlook()
        for line in BatchTable.lines(report, open: "to do") { StandardOutput.print(line) }
        StandardOutput.print(BatchTable.summary(report, open: "to do"))
        try StandardOutput.check()
        try end(report)
    }

    private func tell(_ report: BatchReport) {
        if messages.level >= .warning, messages.progress != .json {
            for line in BatchTable.lines(report, open: nil) { Console.write(line + "\n") }
            Console.error(BatchTable.summary(report, open: "not begun"))
        } else if messages.progress != .json {
            // Failures are told however quiet it is to be.
            for result in report.results where result.state == .failed {
                Console.error("\(result.input): \(BatchTable.reason(result))")
            }
        }
    }

    private func end(_ report: BatchReport) throws {
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

/// What a batch came to, for people.
enum BatchTable {
    /// A line for each recording, but for those that were done before.
    ///
    /// - Parameter open: how those are called that were not done; they are left out if `nil`.
    static func lines(_ report: BatchReport, open: String?) -> [String] {
        let told = report.results.filter { result in
            result.state == .open ? open != nil || result.isBrokenOff : result.state != .skipped || !result.isFromBefore
        }
        let names = told.map { name(of: $0).printable }
        let stateWidth = told.contains(where: \.isBrokenOff) ? 10 : 8
        let width = min(names.map(\.count).max() ?? 0, 60)
        return zip(told, names).map { result, name in
            let state = word(result, open: open ?? "")
            let facts = facts(of: result).printable
            let row =
                padded(state, to: stateWidth) + " " + (facts.isEmpty ? name : padded(name, to: width) + "  " + facts)
            return row
        }
    }

    /// `2 done, 1 skipped, 1 failed, 12 done before; 3 other files passed over; 0:34`, or, of one that was stopped,
    /// `stopped: 2 done, 1 broken off, 9 not begun; 0:34; start it again to go on`.
    static func summary(_ report: BatchReport, open: String) -> String {
        let before = report.results.count { $0.state == .skipped && $0.isFromBefore }
        let broken = report.results.count(where: \.isBrokenOff)
        let counts = [
            (report.count(.done), "done"), (broken, "broken off"), (report.count(.open) - broken, open),
            (report.count(.skipped) - before, "skipped"),
            (report.count(.failed), "failed"), (before, "done before"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        var parts = [counts.isEmpty ? "no recording was found" : counts.joined(separator: ", ")]
        if report.otherFiles > 0 { parts.append("\(Wording.count(report.otherFiles, "other file")) passed over") }
        if report.count(.done) > 0 { parts.append(Wording.clock(report.seconds)) }
        guard report.wasStopped else { return parts.joined(separator: "; ") }
        return "stopped: " + (parts + ["start it again to go on"]).joined(separator: "; ")
    }

    /// Why something was not done, and what to do about it.
    static func reason(_ result: BatchResult) -> String {
        guard let reason = result.reason else { return "" }
        return FlourishError(.usage, reason, remedy: result.remedy).line
            + (result.state == .failed && result.isFromBefore ? " (before; --retry-failed tries again)" : "")
    }

    private static func name(of result: BatchResult) -> String {
        let isMade = result.state == .done || result.state == .open
        return "\(result.input)" + (isMade ? result.output.map { " → \($0)" } ?? "" : "")
    }

    private static func facts(of result: BatchResult) -> String {
        guard result.state == .done else { return reason(result) }
        return ([Wording.count(result.reactions, "reaction")] + (result.bytes.map { [Wording.size($0)] } ?? []))
            .joined(separator: ", ")
    }

    private static func word(_ result: BatchResult, open: String) -> String {
        result.isBrokenOff ? "broken off" : result.state == .open ? open : result.state.rawValue
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
