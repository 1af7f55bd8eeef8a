import Flourish
import FoundationEssentials
import Platform
import Synchronization

/// The events of a run on their way to its receivers, and to the hooks. Warnings about hooks are events of the same
/// stream.
struct RunHooks: Sendable {
    private let gate: EventGate
    private let runner: HookRunner?
    private let input: String?

    /// - Parameters:
    ///   - input: The name of the input; `nil` for none.
    ///   - level: The level of the messages that are printed after the stream.
    ///   - receive: Receives all events, in order.
    init(
        _ settings: HookSettings, input: String?, level: LogLevel, receive: @escaping @Sendable (ReactionEvent) -> Void
    ) {
        let gate = EventGate(level: level, receive)
        (self.gate, self.input) = (gate, input)
        runner = HookRunner(settings) { gate.warn($0) }
    }

    func receive(_ event: ReactionEvent) {
        gate.pass(event)
        runner?.enqueue(event, of: input)
    }

    /// Shortens the wait for hooks, after a signal.
    func hasten() { runner?.hasten() }

    /// Waits for the hooks that still run.
    func finish() async { await runner?.finish(level: gate.level) }

    /// Passes events and warnings on, one at a time.
    private final class EventGate: Sendable {
        let level: LogLevel
        /// The position of the newest event; `nil` before the stream and after its end.
        private let place = Mutex<(time: Double, frame: Int)?>(nil)
        private let receive: @Sendable (ReactionEvent) -> Void

        init(level: LogLevel, _ receive: @escaping @Sendable (ReactionEvent) -> Void) {
            (self.level, self.receive) = (level, receive)
        }

        func pass(_ event: ReactionEvent) {
            place.withLock { place in
                place = if case .streamEnded = event.kind { nil } else { (event.time, event.frame) }
                receive(event)
            }
        }

        /// Passes on a warning as an event. After the last event of the stream, it is only printed.
        func warn(_ message: String) {
            place.withLock { place in
                if let place {
                    let warning = ReactionEvent.Kind.warning(code: .hookFailed, message: message)
                    return receive(ReactionEvent(time: place.time, frame: place.frame, kind: warning))
                }
                if level >= .warning { Console.warn(message) }
            }
        }
    }
}

extension HookRunner {
    /// The seconds that hooks may run on after a signal. The program ends within two seconds of it.
    private static let graceAfterSignal = 1.0

    /// Starts the thread of the hooks with the program's environment; `nil` if there are no hooks.
    convenience init?(_ settings: HookSettings, warn: @escaping @Sendable (String) -> Void) {
        if settings.all.isEmpty { return nil }
        self.init(
            settings.all, limits: Limits(settings), environment: ProcessInfo.processInfo.environment, warn: warn)
    }

    /// Shortens the wait for hooks, after a signal.
    func hasten() { hasten(within: Self.graceAfterSignal) }

    /// Waits for the hooks that still run, for the time limit of one command at most. Prints the counts.
    func finish(level: LogLevel) async {
        let counts = await StageThread.run { () throws(Never) in self.finish() }.get()
        if counts.all > counts.succeeded, level >= .warning {
            Console.warn(counts.summary)
        } else if level >= .info {
            Console.error(counts.summary)
        }
    }
}
