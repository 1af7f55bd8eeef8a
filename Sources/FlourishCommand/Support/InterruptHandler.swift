import Dispatch
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Ctrl-C and SIGTERM: the first ends the work gracefully, the second at once.
///
/// Used on the thread that made it; the signals arrive on a queue of their own.
final class InterruptHandler {
    private let sources: [any DispatchSourceSignal]

    /// Calls `first` on the first signal; exits with 128 + signal on the second.
    init(_ first: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "flourish.signals")
        let counter = Counter()
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                counter.count += 1
                if counter.count > 1 { _exit(128 + number) }
                first()
            }
            source.activate()
            return source
        }
    }

    /// Stops listening.
    func cancel() {
        for source in sources { source.cancel() }
    }

    /// Used on the signals' serial queue only.
    private final class Counter: @unchecked Sendable {
        var count = 0
    }
}
