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
