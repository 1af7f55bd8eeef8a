import Synchronization

/// Answers that other threads have finished, on their way to the server's.
final class ControlMailbox: Sendable {
    private struct State {
        var answers: [(connection: Int, line: String)] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wake: WakePipe

    init(wake: WakePipe) { self.wake = wake }

    func post(_ line: String, to connection: Int) {
        state.withLock { $0.answers.append((connection, line)) }
        wake.ring()
    }

    /// Asks the server to end.
    func close() {
        state.withLock { $0.isClosed = true }
        wake.ring()
    }

    func take() -> (answers: [(connection: Int, line: String)], isClosed: Bool) {
        state.withLock { state in
            defer { state.answers = [] }
            return (state.answers, state.isClosed)
        }
    }
}
