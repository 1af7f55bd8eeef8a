import Synchronization

/// Wakes the readers of a shared state after each change. Waking never blocks.
package final class WakeSignal: Sendable {
    private struct State {
        var readers: [Int: AsyncStream<Void>.Continuation] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    package init() {}

    package func wake() { for reader in state.withLock({ $0.readers }).values { reader.yield() } }

    /// Yields to a stream after each change, until it is removed.
    ///
    /// - Returns: The number by which ``remove(_:)`` knows the reader.
    package func add(_ reader: AsyncStream<Void>.Continuation) -> Int {
        state.withLock { state in
            state.count += 1
            state.readers[state.count] = reader
            return state.count
        }
    }

    package func remove(_ number: Int) { state.withLock { $0.readers[number] = nil } }
}
