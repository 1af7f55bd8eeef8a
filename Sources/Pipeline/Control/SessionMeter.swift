import Frames
import MediaIO
import Platform
import RateControl
import Reactions
import Synchronization

/// Measures the frame rate, latency and bit rate of a run for applications. The stages' threads record frames; any
/// thread reads ``statistics``.
package final class SessionMeter: Sendable {
    private struct State {
        /// The values of the last complete interval.
        var shown = SessionStatistics()
        var start: ContinuousClock.Instant?
        var frames = 0
        var latency = Duration.zero
        /// The bits that were written since `mediaStart`, the decoding time, in seconds, at which the interval began.
        var bits = 0
        var mediaStart: Double?
    }

    private static let window = Duration.milliseconds(500)
    /// The time without a frame after which the frame rate is reported as 0.
    private static let silence = Duration.seconds(2)

    private let state = Mutex(State())

    /// The values of the last half second.
    package var statistics: SessionStatistics {
        state.withLock { state in
            var shown = state.shown
            if let start = state.start, ContinuousClock.now - start > Self.silence { shown.framesPerSecond = 0 }
            return shown
        }
    }

    /// Counts a frame that is sent to the encoder.
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
            guard now - start >= Self.window else { return }
            state.shown.framesPerSecond = Double(state.frames) / ((now - start) / .seconds(1))
            state.shown.latency = state.latency / .seconds(1) / Double(state.frames)
            (state.start, state.frames, state.latency) = (now, 0, .zero)
        }
    }

    /// Adds the size of a frame in the file.
    ///
    /// - Parameter time: its decoding time in seconds.
    func noteWritten(bits: Int, at time: Double) {
        state.withLock { state in
            guard let start = state.mediaStart, time >= start else {
                (state.mediaStart, state.bits) = (time, bits)
                return
            }
            // The bits before this frame belong to the interval that ends with its time.
            if time - start >= 0.5 {
                state.shown.bitRate = Double(state.bits) / (time - start)
                (state.mediaStart, state.bits) = (time, 0)
            }
            state.bits += bits
        }
    }
}

/// Figures of a run in progress. Rates and latency are means over about the last half second.
///
/// The statistics depend on the machine. Nothing that is drawn or emitted depends on them.
public struct SessionStatistics: Sendable, Hashable {
    /// The number of frames that were planned and drawn so far.
    public var frames = 0
    /// Frames a second; 0 without input frames.
    public var framesPerSecond = 0.0
    /// The time from a frame's decoding until it is sent to the encoder, in seconds; `nil` before the first frames.
    public var latency: Double?
    /// The bits of video for each second of video; `nil` if nothing is written.
    public var bitRate: Double?

    /// Creates statistics before anything was measured.
    public init() {}
}
