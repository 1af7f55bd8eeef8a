import RateControl
import Synchronization

/// Gives the planner the encoder's statistics of those frames that have no effects. The planner decides with them how
/// much of an effect is drawn.
///
/// The encoder's thread records the statistics after each frame, and the drawing thread reads them before it sends a
/// frame. It reads the values that were recorded a fixed number of frames ago, so two runs make the same decisions. The number is
/// the maximum number of frames between drawing and encoding, so the values are always available.
package final class DelayedEncoderStatistics: Sendable {
    /// The maximum rate, in bits a second.
    private let limit: Double
    /// The frames a second while effects run.
    private let frameRate: Double
    private let notes = Mutex(Notes())

    private struct Notes {
        /// The most recent recorded values, and the number of values before them.
        var latest: [QuietFrames?] = []
        var forgotten = 0
        /// The number of calls of ``budget(pixels:)``.
        var asked = 0
    }

    /// The number of frames by which values are delayed. It is a constant, so that pictures do not depend on the
    /// capacity of a channel.
    private static let distance = 3
    /// The maximum number of frames between drawing and the end of encoding: the frame that is sent, the frame that is
    /// being encoded, and those in the channel between the threads.
    private static let maximumBetween = PipelineFrame.channelCapacity + 2
    /// The frame rate assumed for an input that does not state one.
    private static let usualFrameRate = 30.0

    /// - Parameter frameRate: The frames a second while effects run; `nil` if unknown.
    /// - Returns: `nil` for codecs other than H.264, and if the rate has no limit: an encoder without a limit spends more
    ///   bits on effects by itself.
    init?(_ options: EncodingOptions, frameRate: Double?) {
        precondition(
            Self.maximumBetween <= Self.distance, "the drawing thread may be further ahead than the statistics reach")
        guard options.codec == .h264, let limit = options.bitRateLimit else { return nil }
        self.limit = Double(limit)
        self.frameRate = frameRate ?? Self.usualFrameRate
    }

    /// Records the statistics of the frames without effects after the encoder has finished another frame.
    func note(_ quiet: QuietFrames?) {
        notes.withLock { notes in
            notes.latest.append(quiet)
            // Older values are never read, because the encoder cannot be ahead of the drawing thread.
            if notes.latest.count > Self.distance + 1 {
                notes.latest.removeFirst()
                notes.forgotten += 1
            }
        }
    }

    /// Returns the bit budget from the next frame on; `nil` if there are not enough statistics yet. It is called once
    /// for each frame.
    ///
    /// - Parameter pixels: The number of pixels of a frame.
    func budget(pixels: Int) -> EffectBudget? {
        let known: QuietFrames? = notes.withLock { notes in
            let index = notes.asked - Self.distance - notes.forgotten
            notes.asked += 1
            return notes.latest.indices.contains(index) ? notes.latest[index] : nil
        }
        return known.map {
            EffectBudget(limit: limit, pixels: pixels, frameRate: frameRate, quiet: $0)
        }
    }
}
