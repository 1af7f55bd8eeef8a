package import MediaIO
import Synchronization

/// Passes frames of the output to callers that request the next one. ``DrawStage`` offers each frame on its thread, and
/// any task may wait for a frame. A request does not delay the video, because pixels are shared rather than copied.
package final class PictureTap: Sendable {
    /// The result of waiting for a frame.
    package enum Arrival: Sendable {
        case frame(SharedPicture)
        /// The run ended before the next frame.
        case ended
        /// No frame came within the limit.
        case late
        /// The task of the caller was cancelled.
        case cancelled
    }

    private struct State {
        var waiting: [Int: CheckedContinuation<Arrival, Never>] = [:]
        /// The number of callers so far.
        var count = 0
        /// True if the last frame has passed, so that no caller waits any more.
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wanted = Atomic(false)

    package init() {}

    /// True if a caller waits for a picture.
    package var isWanted: Bool { wanted.load(ordering: .relaxed) }

    /// Waits for the next frame, until the limit has passed or the task is cancelled.
    ///
    /// - Parameter limit: The time after which the call returns without a frame; `nil` for no limit.
    package func next(within limit: Duration? = nil) async -> Arrival {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        var timer: Task<Void, Never>?
        let arrival = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard wait(continuation, number) else { return continuation.resume(returning: .ended) }
                // A cancellation before this point found no caller to end.
                if Task.isCancelled { return giveUp(number, .cancelled) }
                guard let limit else { return }
                timer = Task { [self] in
                    try? await Task.sleep(for: limit)
                    giveUp(number, .late)
                }
            }
        } onCancel: {
            giveUp(number, .cancelled)
        }
        timer?.cancel()
        return arrival
    }

    /// Registers a caller.
    ///
    /// - Returns: `false` if no more frames follow.
    private func wait(_ continuation: CheckedContinuation<Arrival, Never>, _ number: Int) -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            state.waiting[number] = continuation
            wanted.store(true, ordering: .relaxed)
            return true
        }
    }

    /// Passes a frame to all waiting callers.
    package func offer(_ frame: borrowing VideoFrame) {
        guard isWanted else { return }
        // If there is no memory for the copy, the clients wait for the next frame.
        guard let shared = try? frame.shared() else { return }
        hand(.frame(SharedPicture(shared)), closing: false)
    }

    /// Signals that no more frames follow.
    package func close() { hand(.ended, closing: true) }

    private func hand(_ arrival: Arrival, closing: Bool) {
        let waiting = state.withLock { state in
            defer {
                state.waiting.removeAll()
                wanted.store(false, ordering: .relaxed)
                if closing { state.isClosed = true }
            }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(returning: arrival) }
    }

    /// Ends the wait of a caller, if it still waits.
    private func giveUp(_ number: Int, _ arrival: Arrival) {
        let continuation = state.withLock { state in
            let continuation = state.waiting.removeValue(forKey: number)
            if state.waiting.isEmpty { wanted.store(false, ordering: .relaxed) }
            return continuation
        }
        continuation?.resume(returning: arrival)
    }
}
