package import Frames
package import MediaIO
import Synchronization

/// Passes frames of the output to callers that request the next one. ``DrawStage`` offers each frame on its thread, and
/// any task may wait for a frame. A request does not delay the video, because pixels are shared rather than copied.
package final class PictureTap: Sendable {
    private struct State {
        var waiting: [CheckedContinuation<SharedPicture?, Never>] = []
        /// A Boolean value that indicates whether the last frame has passed, so that no caller waits any more.
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wanted = Atomic(false)

    /// A Boolean value that indicates whether a caller waits for a picture.
    package var isWanted: Bool { wanted.load(ordering: .relaxed) }

    /// Waits for the next frame. Returns `nil` if the run ends before it.
    package func next() async -> SharedPicture? {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed {
                    state.waiting.append(continuation)
                    wanted.store(true, ordering: .relaxed)
                }
                return state.isClosed
            }
            if isClosed { continuation.resume(returning: nil) }
        }
    }

    /// Passes a frame to all waiting callers.
    package func offer(_ frame: borrowing VideoFrame) {
        guard isWanted else { return }
        // If there is no memory for the copy, the clients wait for the next frame.
        guard let shared = try? frame.shared() else { return }
        hand(SharedPicture(shared), closing: false)
    }

    /// Signals that no more frames follow.
    package func close() { hand(nil, closing: true) }

    private func hand(_ picture: SharedPicture?, closing: Bool) {
        let waiting = state.withLock { state in
            defer {
                state.waiting.removeAll()
                wanted.store(false, ordering: .relaxed)
                if closing { state.isClosed = true }
            }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: picture) }
    }
}
