import NIOCore
import Platform

extension WakeSignal {
    /// Calls a closure at once, after each change and, if there is an interval, regularly, until it returns `false` or
    /// the task is cancelled.
    func follow(every interval: TimeAmount?, _ body: () async throws -> Bool) async throws {
        try await Self.follow([self], every: interval, body)
    }

    /// Calls a closure like ``follow(every:_:)``, after each change of any of some states.
    static func follow(
        _ signals: [WakeSignal], every interval: TimeAmount?, _ body: () async throws -> Bool
    ) async throws {
        let (wakes, reader) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let numbers = signals.map { $0.add(reader) }
        defer { for (signal, number) in zip(signals, numbers) { signal.remove(number) } }
        let ticks = interval.map { interval in
            NetworkThread.loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in reader.yield() }
        }
        defer { ticks?.cancel() }
        reader.yield()
        for await _ in wakes {
            guard try await body() else { return }
        }
    }
}
