import NIOCore
import Synchronization

/// Wakes the readers of a shared state after each change. Waking never blocks.
final class WakeSignal: Sendable {
    private struct State {
        var readers: [Int: AsyncStream<Void>.Continuation] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    func wake() { for reader in state.withLock({ $0.readers }).values { reader.yield() } }

    /// Calls a closure at once, after each change and, if there is an interval, regularly, until it returns `false` or
    /// the task is cancelled.
    func follow(every interval: TimeAmount?, _ body: () async throws -> Bool) async throws {
        let (wakes, reader) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.count += 1
            state.readers[state.count] = reader
            return state.count
        }
        defer { state.withLock { $0.readers[number] = nil } }
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
