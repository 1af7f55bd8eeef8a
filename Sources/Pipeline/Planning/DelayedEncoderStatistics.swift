import RateControl
import Synchronization

/// What the encoder makes of frames without effects, for those who decide how much of an effect is drawn.
///
/// The encoder's thread notes it after each frame, the drawing thread asks before each one that it sends there. So that two
/// runs decide alike, that thread is told what held a fixed number of frames before: as many as may lie between the two.
package final class DelayedEncoderStatistics: Sendable {
    /// Up to how many bits a second the rate may rise.
    private let limit: Double
    /// Frames a second while effects run.
    private let frameRate: Double
    private let notes = Mutex(Notes())

    private struct Notes {
        /// What was noted last, and how much before that.
        var latest: [QuietFrames?] = []
        var forgotten = 0
        /// How often somebody asked.
        var asked = 0
    }

    /// What is drawn follows from this number, and so from no channel's length.
    private static let distance = 3
    /// Of frames that are drawn and not done with one is sent, one is encoded, and the others wait in the channel between.
    private static let mostBetween = PipelineFrame.channelCapacity + 2
    /// What input without a frame rate is taken to have.
    private static let usualFrameRate = 30.0

    /// - Parameter frameRate: frames a second while effects run; `nil` where nobody knows.
    /// - Returns: `nil` where the rate is not held at all times: such an encoder spends more on effects by itself.
    init?(_ options: EncodingOptions, frameRate: Double?) {
        precondition(Self.mostBetween <= Self.distance, "the encoder may not have done with what is asked for")
        guard options.codec == .h264, let limit = options.bitRateLimit else { return nil }
        self.limit = Double(limit)
        self.frameRate = frameRate ?? Self.usualFrameRate
    }

    /// Takes what is known of the frames without effects when the encoder has done with another frame.
    func note(_ quiet: QuietFrames?) {
        notes.withLock { notes in
            notes.latest.append(quiet)
            // The encoder cannot be further ahead than the drawing thread.
            if notes.latest.count > Self.distance + 1 {
                notes.latest.removeFirst()
                notes.forgotten += 1
            }
        }
    }

    /// What there is room for from the next frame on; `nil` where too little is known yet. Asked once for each frame.
    ///
    /// - Parameter pixels: of a frame.
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
