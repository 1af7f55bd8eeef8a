import ArgumentParser
import Flourish
import FlourishControl
import Platform

/// Runs a session as the command line does: with its events log, progress,
/// warnings and signals.
struct SessionRunner {
    let messages: Messages
    let input: String
    /// Where events go; nowhere if `nil`.
    let eventsPath: String?
    /// Where WebVTT cues go; nowhere if `nil`.
    var sidecarPath: String?
    /// Whether events are all that is wanted, so that the work ends when nobody reads them.
    var endsWithReader = false
    /// Whether the run is told of in a line at the end, and why it may have shown nothing.
    var quietReason: RunReport.Quiet?

    /// Runs the session by `body` and reports how it ended.
    ///
    /// - Throws: `FlourishError`, and an exit code after an interrupt.
    func run(
        _ session: ReactionSession, remote options: RemoteOptions? = nil,
        by body: (ReactionSession, SessionObserver) async throws -> SessionOutcome
    ) async throws {
        ProcessMemory.shareBetweenThreads()
        // A reader that leaves is seen where the write fails; it must not end the process,
        // which may be writing a video.
        signal(SIGPIPE, SIG_IGN)
        // Opening a named pipe lasts until somebody reads it.
        let interrupt = InterruptHandler { session.stop() }
        defer { interrupt.cancel() }
        let log: EventLog? = if let eventsPath { try EventLog(path: eventsPath) } else { nil }
        let cues: CueLog? = if let sidecarPath { try CueLog(path: sidecarPath) } else { nil }
        let remote = try await options?.open(session)
        if let url = remote?.panelURL { Console.error("the panel is at \(url)") }
        let progress = ProgressLine(style: messages.progress, input: input)
        let runLog = RunLog(isOverlay: session.configuration.writesOverlay)
        let level = messages.level
        MediaLogging.set(verbose: level == .debug)
        let observer = SessionObserver(
            event: { [endsWithReader] event in
                runLog.note(event)
                log?.write(event)
                cues?.write(event)
                remote?.publish(event)
                if endsWithReader, log?.hasReader == false { session.stop() }
                Self.tell(event, at: level, beside: progress)
            },
            progress: {
                progress.show($0)
                remote?.record($0)
            })
        defer { progress.clear() }
        let outcome: SessionOutcome
        do {
            outcome = try await body(session, observer)
        } catch {
            await remote?.stop()
            throw error
        }
        await remote?.stop()
        try log?.check()
        try cues?.check()
        let report = RunReport(outcome, of: input, runLog, duration: progress.duration)
        progress.finish(isComplete: !outcome.interrupted, report: report)
        if let statistics = outcome.statistics { Console.write(statistics.table) }
        tell(report, runLog)
        if endsWithReader, log?.hasReader == false { throw ExitStatus.outputClosed }
        if outcome.interrupted, remote?.hasQuit != true { throw ExitStatus.interrupted }
    }

    /// Tells what the run came to.
    private func tell(_ report: RunReport, _ log: RunLog) {
        if messages.level >= .info {
            Console.error(
                "\(report.frames) frames, \(report.seconds) s, \(Wording.count(report.reactionCount, "effect"))")
        }
        // Events that go to the standard error are read by a program.
        let isTaken = eventsPath.flatMap(DescriptorOutput.descriptor) == STDERR_FILENO
        guard let quietReason, messages.level >= .warning, messages.progress != .json, !isTaken else { return }
        Console.error(report.line(ifNothing: log.hasGestures ? .notShown : quietReason))
    }

    /// Says what an event says on the standard error, if it is worth it.
    private static func tell(_ event: ReactionEvent, at level: LogLevel, beside progress: ProgressLine) {
        if case .warning(let code, let message) = event.kind, level >= .warning, code != .interrupted {
            return progress.interrupted { Console.warn(message) }
        }
        if case .photoFailed(_, let message) = event.kind, level >= .warning {
            return progress.interrupted { Console.warn(message) }
        }
        guard let line = line(for: event, at: level) else { return }
        progress.interrupted { Console.error(line) }
    }

    private static func line(for event: ReactionEvent, at level: LogLevel) -> String? {
        switch event.kind {
        case .streamStarted(let stream) where level >= .warning && (level >= .info || Console.isTerminal):
            return stream.wholeReason.map { "the whole video is encoded: \($0)" }
        case .effectStarted(let effect) where level >= .info:
            return "\(effect.reactionType) at \(event.time) s (\(effect.trigger.rawValue))"
        default:
            return level >= .debug ? event.jsonLine : nil
        }
    }
}

extension ReactionEvent.Statistics {
    /// The table that `--stats` prints at the end, in milliseconds.
    fileprivate var table: String {
        var lines = [Self.row("latency in ms", ["p50", "p95", "p99", "max", "frames"])]
        for stage in stages {
            let times = [stage.p50, stage.p95, stage.p99, stage.max].map(Self.milliseconds)
            lines.append(Self.row(stage.stage.rawValue, times + [String(stage.count)]))
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func row(_ name: String, _ values: [String]) -> String {
        let padding = String(repeating: " ", count: max(0, 14 - name.count))
        return name + padding + values.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
    }

    /// Returns milliseconds with two decimal places.
    private static func milliseconds(_ seconds: Double) -> String {
        let hundredths = Int((seconds * 100_000).rounded())
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
