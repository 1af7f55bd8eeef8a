import ArgumentParser
import Dispatch
import Flourish
import Platform
import Synchronization

/// Handles SIGINT (Ctrl-C), SIGTERM and SIGHUP. The first signal ends the work gracefully; the second ends the process
/// at once. Signals within half a second count as one. `timeout`, for example, signals the process and then its whole
/// group.
///
/// The process also ends at once if the work makes no progress after the first signal, as when a library call blocks
/// (see `ProgressHeartbeat`). If the encoder needs about a second or more for a frame, the process ends within two
/// seconds of the first signal, because its delayed frames would take minutes.
///
/// The owner uses the handler on one thread. Signals arrive on a separate queue.
final class InterruptHandler {
    private let sources: [any DispatchSourceSignal]
    private let queue: DispatchQueue
    private let memory: Memory
    /// The time within which signals count as one.
    private static let repeatInterval = Duration.milliseconds(500)
    /// The longest wait without progress, in nanoseconds. Steps that take half as long count as slow.
    private static let longestWait: UInt64 = 1_800_000_000
    /// The longest wait if steps are slow, in nanoseconds. Steps are slow for large pictures, which take gigabytes, and
    /// the system needs more than a third of a second to free these.
    private static let longestSlowWait: UInt64 = 1_400_000_000
    private static let firstSignal = Atomic<Int32>(0)

    /// The exit code after a signal: 128 + its number, as in shells.
    static var exitCode: ExitCode {
        let signal = firstSignal.load(ordering: .relaxed)
        return ExitCode(128 + (signal == 0 ? SIGINT : signal))
    }

    /// Installs the handlers.
    ///
    /// - Parameter first: Called on the first signal. Without it, the first signal ends the process with a message.
    init(_ first: (@Sendable () -> Void)? = nil) {
        let queue = DispatchQueue(label: "flourish.signals")
        let memory = Memory()
        self.queue = queue
        self.memory = memory
        let listening = DispatchGroup()
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            let former = signal(number, SIG_IGN)
            // `nohup` ignores the signal on purpose.
            if number == SIGHUP, Self.isIgnoring(former) { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                guard let first else { Self.exit(by: number, printing: "stopped; nothing was written") }
                guard memory.firstTime.map({ .now - $0 < Self.repeatInterval }) ?? true else {
                    Self.exit(by: number)
                }
                guard memory.firstTime == nil else { return }
                memory.firstTime = .now
                Self.firstSignal.store(number, ordering: .relaxed)
                Self.watch(number, since: MonotonicClock.now, memory, on: queue)
                first()
            }
            listening.enter()
            source.setRegistrationHandler { listening.leave() }
            source.activate()
            return source
        }
        // Waits until the sources are registered: a signal that arrives before would be ignored.
        _ = listening.wait(timeout: .now() + .seconds(5))
    }

    /// Ends the process if the work makes no progress.
    private static func watch(_ number: Int32, since moment: UInt64, _ memory: Memory, on queue: DispatchQueue) {
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) {
            guard !memory.isOver else { return }
            let isSlow = ProgressHeartbeat.timeout > Self.longestWait
            let waited = isSlow ? MonotonicClock.now - moment : ProgressHeartbeat.silence(since: moment)
            if waited > (isSlow ? Self.longestSlowWait : Self.longestWait) {
                exit(by: number, orPrinting: "stopped while waiting, for example for the reader of a named pipe")
            }
            watch(number, since: moment, memory, on: queue)
        }
    }

    private static func isIgnoring(_ handler: sighandler_t?) -> Bool {
        unsafe (unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN as sighandler_t?, to: Int.self))
    }

    /// Ends the process, and removes unfinished outputs.
    ///
    /// - Parameters:
    ///   - line: The message; by default, one is printed if an output is removed.
    ///   - other: The message if there is no output.
    private static func exit(by signal: Int32, printing line: String? = nil, orPrinting other: String? = nil) -> Never {
        let hadOutput = UnfinishedOutputs.remove()
        if let line = line ?? (hadOutput ? "ended immediately; unfinished outputs were removed" : other) {
            // Removes a progress line.
            if Console.isTerminal { Console.write("\r\u{1B}[K") }
            Console.error(line)
        }
        _exit(128 + signal)
    }

    /// Removes the handlers.
    func cancel() {
        for source in sources { source.cancel() }
        queue.async { [memory] in memory.isOver = true }
    }

    /// The state of the signals' serial queue.
    private final class Memory: @unchecked Sendable {
        var firstTime: ContinuousClock.Instant?
        /// True if the work has ended.
        var isOver = false
    }
}
