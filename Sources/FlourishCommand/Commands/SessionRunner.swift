import ArgumentParser
import Flourish
import FlourishControl
import Platform

/// Runs a session for a command, with an event log, progress, warnings and signal handlers.
struct SessionRunner {
    let messages: Messages
    let input: String
    /// The path of the event log; `nil` for none.
    let eventsPath: String?
    /// The path of the WebVTT cues; `nil` for none.
    var sidecarPath: String?
    /// True if the run ends when the reader of the events has gone.
    var endsWithReader = false
    /// The commands that run at events.
    var hooks = HookSettings()
    /// The form of the summary on the standard output; `nil` for none.
    var summary: RunSummary.Form?
    /// The reason why the run may show no reaction; `nil` for a run without a final line.
    var quietReason: RunReport.Quiet?

    /// Runs `body` with the session, and reports the result.
    ///
    /// - Throws: `FlourishError`, and an exit code after an interrupt.
    func run(
        _ session: ReactionSession, remote options: RemoteOptions? = nil,
        by body: (ReactionSession, SessionObserver) async throws -> SessionOutcome
    ) async throws {
        ProcessMemory.shareBetweenThreads()
        // If the reader has exited, a write fails. SIGPIPE must not end a process that may be writing a video.
        signal(SIGPIPE, SIG_IGN)
        // The handler comes first, because opening a named pipe for the log blocks until there is a reader.
        let running = Slot<RunHooks?>(nil)
        let interrupt = InterruptHandler {
            session.stop()
            running.value?.hasten()
        }
        defer { interrupt.cancel() }
        let log: EventLog? = if let eventsPath { try EventLog(path: eventsPath) } else { nil }
        defer { log?.removeIfUnused() }
        let cues: CueLog? = if let sidecarPath { try CueLog(path: sidecarPath) } else { nil }
        defer { cues?.removeIfUnused() }
        let remote = try await options?.open(session)
        // Programs wait for this line before they connect.
        if let path = remote?.socketPath { Console.error("control: \(path)") }
        if let url = remote?.panelURL { Console.error("panel: \(url)") }
        let progress = ProgressLine(style: messages.progress, input: input)
        let runLog = RunLog(isOverlay: session.configuration.writesOverlay)
        let level = messages.level
        MediaLogging.set(verbose: level == .debug)
        let events = RunHooks(
            hooks, input: input, level: areEventsOnStandardError ? .error : level
        ) { [endsWithReader] event in
            runLog.record(event)
            log?.write(event)
            cues?.write(event)
            remote?.publish(event)
            if endsWithReader, log?.hasReader == false { session.stop() }
            Self.print(event, at: level, beside: progress)
        }
        running.value = events
        let observer = SessionObserver(
            event: { events.receive($0) },
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
            await events.finish()
            throw error
        }
        await remote?.stop()
        await events.finish()
        try log?.check()
        try cues?.check()
        let report = RunReport(outcome, of: input, runLog, duration: progress.duration)
        progress.finish(isComplete: !outcome.interrupted, report: report)
        if let statistics = outcome.statistics { Console.write(statistics.table) }
        printSummary(report, runLog)
        if summary != nil { try StandardOutput.check() }
        if endsWithReader, log?.hasReader == false { throw ExitStatus.outputClosed }
        if outcome.interrupted, remote?.hasQuit != true { throw ExitStatus.interrupted }
    }

    /// True if a program reads the events on the standard error, where no other line may follow.
    private var areEventsOnStandardError: Bool {
        eventsPath.flatMap(DescriptorOutput.descriptor) == STDERR_FILENO
    }

    /// Prints the result of the run.
    private func printSummary(_ report: RunReport, _ log: RunLog) {
        if messages.level >= .info {
            Console.error(
                "\(report.frames) frames, \(report.seconds) s, \(Wording.count(report.reactionCount, "effect"))")
        }
        if let summary, let quietReason {
            let line = report.line(ifNothing: log.hasGestures ? .notShown : quietReason)
            StandardOutput.print(RunSummary(report, line).text(summary))
            return
        }
        guard let quietReason, messages.level >= .warning, messages.progress != .json, !areEventsOnStandardError else {
            return
        }
        Console.error(report.line(ifNothing: log.hasGestures ? .notShown : quietReason))
    }

    /// Prints an event to the standard error, if the level includes it.
    private static func print(_ event: ReactionEvent, at level: LogLevel, beside progress: ProgressLine) {
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
            let times = [stage.p50, stage.p95, stage.p99, stage.max].map { Wording.decimals($0 * 1000, 2) }
            lines.append(Self.row(stage.stage.rawValue, times + [String(stage.count)]))
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func row(_ name: String, _ values: [String]) -> String {
        let padding = String(repeating: " ", count: max(0, 14 - name.count))
        return name + padding + values.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
    }
}
