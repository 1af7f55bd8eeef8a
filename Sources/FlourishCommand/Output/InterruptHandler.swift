import ArgumentParser
import Dispatch
import Flourish
import Platform
import Synchronization

/// Ctrl-C, SIGTERM and a terminal that is closed: the first ends the work gracefully, the second at once. What comes within half a second of
/// the first is the same wish: `timeout`, for one, tells the process and then its whole group.
///
/// Where nothing gets on after the first, since a library does not come back from what it was given, the program ends as on
/// the second: see `LifeSign`. So it does two seconds after the first where a picture takes the encoder about a second or
/// more: what it holds back would take minutes.
///
/// Used on the thread that made it; the signals arrive on a queue of their own.
final class InterruptHandler {
    private let sources: [any DispatchSourceSignal]
    private let queue: DispatchQueue
    private let memory: Memory
    /// How long signals count as one.
    private static let oneWish = Duration.milliseconds(500)
    /// How long is waited for what does not get on, in nanoseconds. Steps that take half as long are slow.
    private static let longestWait: UInt64 = 1_800_000_000
    /// How long is waited where steps are slow, in nanoseconds: pictures as large as that take gigabytes, which the system
    /// needs a third of a second and more to take back.
    private static let longestSlowWait: UInt64 = 1_400_000_000
    private static let firstSignal = Atomic<Int32>(0)

    /// How the program ends after it was asked to: with 128 + the signal, as shells expect.
    static var exitCode: ExitCode {
        let signal = firstSignal.load(ordering: .relaxed)
        return ExitCode(128 + (signal == 0 ? SIGINT : signal))
    }

    /// Calls `first` on the first signal; exits with 128 + signal on the second, or on the
    /// first, with a line, if there is nothing to call.
    init(_ first: (@Sendable () -> Void)? = nil) {
        let queue = DispatchQueue(label: "flourish.signals")
        let memory = Memory()
        self.queue = queue
        self.memory = memory
        let listening = DispatchGroup()
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            let former = signal(number, SIG_IGN)
            // Who said `nohup` meant it.
            if number == SIGHUP, Self.isIgnoring(former) { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                guard let first else { Self.exit(by: number, saying: "stopped; nothing was written") }
                guard memory.firstTime.map({ .now - $0 < Self.oneWish }) ?? true else {
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
        // Until then they are ignored: one that comes as the program starts on a busy machine would be lost.
        _ = listening.wait(timeout: .now() + .seconds(5))
    }

    /// Ends the process once nothing gets on any more.
    private static func watch(_ number: Int32, since moment: UInt64, _ memory: Memory, on queue: DispatchQueue) {
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) {
            guard !memory.isOver else { return }
            let isSlow = LifeSign.patience > Self.longestWait
            let waited = isSlow ? MonotonicClock.now - moment : LifeSign.silence(since: moment)
            if waited > (isSlow ? Self.longestSlowWait : Self.longestWait) {
                exit(by: number, orSaying: "stopped while it waited, as for somebody who reads a named pipe")
            }
            watch(number, since: moment, memory, on: queue)
        }
    }

    private static func isIgnoring(_ handler: sighandler_t?) -> Bool {
        unsafe (unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN as sighandler_t?, to: Int.self))
    }

    /// Ends the process, and nothing unfinished stays behind.
    ///
    /// - Parameters:
    ///   - line: what is said of it; by default something is where an output goes.
    ///   - other: what is said where none goes.
    private static func exit(by signal: Int32, saying line: String? = nil, orSaying other: String? = nil) -> Never {
        let hadOutput = UnfinishedOutputs.remove()
        if let line = line ?? (hadOutput ? "ended at once: what was not finished is removed" : other) {
            // There may be a line of progress.
            if Console.isTerminal { Console.write("\r\u{1B}[K") }
            Console.error(line)
        }
        _exit(128 + signal)
    }

    /// Stops listening.
    func cancel() {
        for source in sources { source.cancel() }
        queue.async { [memory] in memory.isOver = true }
    }

    /// Used on the signals' serial queue only.
    private final class Memory: @unchecked Sendable {
        var firstTime: ContinuousClock.Instant?
        /// Whether the work has ended.
        var isOver = false
    }
}
