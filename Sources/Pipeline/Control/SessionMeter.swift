import Synchronization

/// Measures a run for those who watch it.
package final class SessionMeter: Sendable {
    private struct State {
        /// What the last complete stretch came to.
        var shown = SessionStatistics()
        var start: ContinuousClock.Instant?
        var frames = 0
        var latency = Duration.zero
        /// Bits that were written since `mediaStart`, and until when in seconds of the video.
        var bits = 0
        var mediaStart: Double?
    }

    private static let stretch = Duration.milliseconds(500)
    /// After so long without a frame there is no rate any more.
    private static let silence = Duration.seconds(2)

    private let state = Mutex(State())

    /// What the last half second came to.
    package var statistics: SessionStatistics {
        state.withLock { state in
            var shown = state.shown
            if let start = state.start, ContinuousClock.now - start > Self.silence { shown.framesPerSecond = 0 }
            return shown
        }
    }

    /// Counts a frame that goes to the encoder.
    package func noteFrame(decodedAt arrival: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.shown.frames += 1
            guard let start = state.start else {
                state.start = now
                return
            }
            state.frames += 1
            state.latency += now - arrival
            guard now - start >= Self.stretch else { return }
            state.shown.framesPerSecond = Double(state.frames) / ((now - start) / .seconds(1))
            state.shown.latency = state.latency / .seconds(1) / Double(state.frames)
            (state.start, state.frames, state.latency) = (now, 0, .zero)
        }
    }

    /// Counts what a frame took in the file.
    ///
    /// - Parameter time: its decoding time in seconds.
    func noteWritten(bits: Int, at time: Double) {
        state.withLock { state in
            guard let start = state.mediaStart, time >= start else {
                (state.mediaStart, state.bits) = (time, bits)
                return
            }
            // What was written until now lasts until this frame.
            if time - start >= 0.5 {
                state.shown.bitRate = Double(state.bits) / (time - start)
                (state.mediaStart, state.bits) = (time, 0)
            }
            state.bits += bits
        }
    }
}
