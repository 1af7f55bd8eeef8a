import Pipeline
import Platform
package import Reactions
import Synchronization

/// Runs the hooks of events, beside the video.
///
/// ```
/// event ──enqueue──▶ queue (bounded) ──▶ one thread: starts commands, waits for them, ends late ones
/// ```
///
/// The caller of ``enqueue(_:of:)`` never waits. If commands are slower than events, the oldest events are dropped and
/// counted. ``finish()`` must be called at the end, also after a failure.
package final class HookRunner: Sendable {
    /// The limits of hooks.
    package struct Limits: Sendable {
        /// The maximum number of events that wait for their commands.
        package var waiting = 256
        /// The maximum number of commands that run at once.
        package var parallel: Int
        /// The time after which a command is ended, in seconds.
        package var seconds: Double
        /// The maximum number of warnings about single commands.
        package var warnings = 10

        package init(_ settings: HookSettings) { (parallel, seconds) = (settings.parallel, settings.timeLimit) }
    }

    /// The numbers of commands by their results.
    package struct Counts: Sendable, Hashable {
        /// Commands that ended with exit code 0.
        package var succeeded = 0
        /// Commands that could not be started, or ended with another exit code or by a signal.
        package var failed = 0
        /// Commands that were ended, since they ran for too long or beyond the end of the run.
        package var timedOut = 0
        /// Commands that were not started.
        package var dropped = 0

        package init() {}

        /// The number of all commands that events called for.
        package var all: Int { succeeded + failed + timedOut + dropped }

        /// The counts in words: "hooks: 3 succeeded, 1 failed".
        package var summary: String {
            let counts = [
                (succeeded, "succeeded"), (failed, "failed"), (timedOut, "ended as too slow"), (dropped, "dropped"),
            ].filter { $0.0 > 0 }
            return "hooks: " + (counts.isEmpty ? "none ran" : counts.map { "\($0) \($1)" }.joined(separator: ", "))
        }
    }

    /// A command to run for an event.
    private struct Job {
        let hook: Hook
        let event: ReactionEvent
        let input: String?
    }

    /// A command that runs.
    private struct Run {
        let job: Job
        let process: ChildProcess
        /// Seconds on the machine's clock.
        let start: Double
        var isEnded = false
    }

    private struct State {
        var queue: [Job] = []
        var counts = Counts()
        /// The time on the machine's clock until which commands may run; nil before the end of the run.
        var end: Double?
        /// The longest wait at the end of the run, in seconds.
        var grace: Double
    }

    /// The shortest and longest pauses between looks at the commands that run, in microseconds.
    private static let pauses: ClosedRange<UInt32> = 1000...20_000
    /// The wait for commands that were ended at the end of the run, in seconds.
    private static let lastWait = 0.5

    private let hooks: [String: [Hook]]
    private let limits: Limits
    private let environment: [String: String]
    private let warn: @Sendable (String) -> Void
    private let state: Mutex<State>
    private let wakes = Channel<Bool>(capacity: 1)
    private let ends = Channel<Bool>(capacity: 1)

    /// Starts the thread of the hooks.
    ///
    /// - Parameters:
    ///   - hooks: At least one hook.
    ///   - environment: The variables that every command inherits.
    ///   - warn: Receives the messages of a bounded number of warnings of the code `hookFailed`, on the hooks' thread.
    package init(
        _ hooks: [Hook], limits: Limits, environment: [String: String],
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.hooks = Dictionary(grouping: hooks, by: \.event)
        (self.limits, self.environment, self.warn) = (limits, environment, warn)
        state = Mutex(State(grace: limits.seconds))
        StageThread { self.run() }.detach()
    }

    /// Has the commands of an event run. Never waits.
    ///
    /// - Parameter input: The name of the input; `nil` for none.
    package func enqueue(_ event: ReactionEvent, of input: String?) {
        guard let hooks = hooks[event.name] else { return }
        state.withLock { state in
            for hook in hooks {
                if state.end != nil || state.queue.count == limits.waiting {
                    state.counts.dropped += 1
                    if state.end != nil { continue }
                    state.queue.removeFirst()
                }
                state.queue.append(Job(hook: hook, event: event, input: input))
            }
        }
        wakes.sendNewest(true)
    }

    /// Shortens the wait of ``finish()``, in seconds, before it or in it.
    package func hasten(within grace: Double) {
        state.withLock { state in
            state.grace = min(state.grace, grace)
            state.end = state.end.map { min($0, MonotonicClock.seconds + grace) }
        }
    }

    /// Waits for the remaining commands, for the time limit of one command at most, and ends those that run for longer.
    /// Must be called once.
    package func finish() -> Counts {
        state.withLock { $0.end = MonotonicClock.seconds + $0.grace }
        wakes.finish()
        _ = ends.receive()
        return state.withLock { $0.counts }
    }

    // MARK: On the hooks' thread

    private func run() {
        var runs: [Run] = []
        var pause = Self.pauses.lowerBound
        var warnings = HookWarnings(limit: limits.warnings, warn: warn)
        while true {
            reap(&runs, &warnings)
            let (end, dropped) = state.withLock { ($0.end, $0.counts.dropped) }
            if dropped > 0 { warnings.warnOfDrops(limit: limits.waiting) }
            if let end, MonotonicClock.seconds >= end { break }
            while runs.count < limits.parallel, let job = dequeue() {
                guard let run = start(job, &warnings) else { continue }
                runs.append(run)
                pause = Self.pauses.lowerBound
            }
            if runs.isEmpty {
                if wakes.receive() == nil { break }
                continue
            }
            usleep(pause)
            pause = min(2 * pause, Self.pauses.upperBound)
        }
        endAll(&runs, &warnings)
        ends.sendNewest(true)
    }

    private func dequeue() -> Job? { state.withLock { $0.queue.isEmpty ? nil : $0.queue.removeFirst() } }

    private func start(_ job: Job, _ warnings: inout HookWarnings) -> Run? {
        let variables = HookVariables(of: job.event, input: job.input, beside: environment)
        do {
            let process = try ChildProcess(
                job.hook.words[0], job.hook.words, environment: variables.list,
                input: Array((variables.line + "\n").utf8))
            return Run(job: job, process: process, start: MonotonicClock.seconds)
        } catch {
            state.withLock { $0.counts.failed += 1 }
            warnings.warn(of: job.hook, job.event, "cannot be started (\(error.message)); check its path")
            return nil
        }
    }

    /// Removes the commands that have ended, and ends those that run for too long.
    private func reap(_ runs: inout [Run], _ warnings: inout HookWarnings) {
        let now = MonotonicClock.seconds
        for index in runs.indices.reversed() {
            let job = runs[index].job
            guard let ending = runs[index].process.poll() else {
                if !runs[index].isEnded, now - runs[index].start >= limits.seconds {
                    runs[index].process.end()
                    runs[index].isEnded = true
                    let limit = SettingKind.plain(limits.seconds)
                    warnings.warn(of: job.hook, job.event, "was ended after \(limit) s; see hooks.time-limit")
                }
                continue
            }
            let run = runs.remove(at: index)
            state.withLock { state in
                if run.isEnded {
                    state.counts.timedOut += 1
                } else if ending == .exited(0) || ending == .unknown {
                    state.counts.succeeded += 1
                } else {
                    state.counts.failed += 1
                }
            }
            switch ending {
            case .exited(let code) where code != 0 && !run.isEnded:
                warnings.warn(of: job.hook, job.event, "exit code \(code)")
            case .signalled(let number) where !run.isEnded:
                warnings.warn(of: job.hook, job.event, "ended by signal \(number)")
            default: break
            }
        }
    }

    /// Ends the commands that still run, and drops those that wait.
    private func endAll(_ runs: inout [Run], _ warnings: inout HookWarnings) {
        state.withLock { state in
            state.counts.dropped += state.queue.count
            state.queue = []
        }
        for index in runs.indices {
            runs[index].process.end()
            runs[index].isEnded = true
        }
        let end = MonotonicClock.seconds + Self.lastWait
        while !runs.isEmpty, MonotonicClock.seconds < end {
            reap(&runs, &warnings)
            if !runs.isEmpty { usleep(Self.pauses.lowerBound) }
        }
        // A command that waits for the kernel ends later.
        state.withLock { [count = runs.count] in $0.counts.timedOut += count }
    }
}

/// The warnings about hooks, whose number is bounded.
private struct HookWarnings {
    let limit: Int
    let warn: @Sendable (String) -> Void
    private var count = 0
    private var hasWarnedOfDrops = false

    init(limit: Int, warn: @escaping @Sendable (String) -> Void) { (self.limit, self.warn) = (limit, warn) }

    /// Warns about a command. Its arguments may be secret, and are left out.
    mutating func warn(of hook: Hook, _ event: ReactionEvent, _ problem: String) {
        guard count < limit else { return }
        count += 1
        let rest = count == limit ? "; further failures are only counted" : ""
        let time = SettingKind.plain((event.time * 1000).rounded() / 1000)
        warn("the hook \(hook.words[0]) for \(event.name) at \(time) s: \(problem)\(rest)")
    }

    mutating func warnOfDrops(limit: Int) {
        guard !hasWarnedOfDrops else { return }
        hasWarnedOfDrops = true
        warn("hooks are slower than their events; the oldest of more than \(limit) are dropped")
    }
}
