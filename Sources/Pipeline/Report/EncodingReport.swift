public import Reactions

/// How the encoding of a video went over time: `flourish filter --report`, and docs/encoding.md.
///
/// Its size does not grow with the video's length: windows become longer, and beyond
/// ``longestList`` effects and changes are counted only.
public struct EncodingReport: Sendable, Hashable {
    /// The frames of a stretch of time.
    public struct Window: Sendable, Hashable {
        /// When it begins, in seconds.
        public var time: Double
        /// The size of its frames.
        public var bits: Int
        /// How many frames are shown in it.
        public var frames: Int
        /// The mean quantiser of its frames; `nil` where the encoder does not tell.
        public var meanQP: Double?
        /// The largest quantiser of its frames; `nil` where the encoder does not tell.
        public var maxQP: Double?
    }

    /// An effect that ended.
    public struct Effect: Sendable, Hashable {
        /// Its times and what it cost.
        public var end: ReactionEvent.EffectEnd
        /// Seconds until the quantiser was back after it; `nil` where that is not known, since another
        /// effect or the end came first.
        public var recovery: Double?
    }

    /// A change of what the encoder aims at.
    public struct Adjustment: Sendable, Hashable {
        /// When, in seconds.
        public var time: Double
        /// What it was.
        public var change: ReactionEvent.EncoderAdjustment
    }

    /// A change of the frame rate.
    public struct FrameRate: Sendable, Hashable {
        /// When, in seconds.
        public var time: Double
        /// What it was.
        public var change: ReactionEvent.FrameRateChange
    }

    /// The input's name as it was given.
    public var input = ""
    /// The figures of the whole stream.
    public var summary: ReactionEvent.StreamSummary?
    /// The length of a window in seconds.
    public var windowLength = 0.1
    /// All windows, in order, without gaps.
    public var windows: [Window] = []
    /// The effects, in the order of their ends.
    public var effects: [Effect] = []
    /// What was asked of the encoder.
    public var adjustments: [Adjustment] = []
    /// What happened to the frame rate.
    public var frameRates: [FrameRate] = []
    /// How many effects and changes were left out of the lists.
    public var omitted = 0

    /// How long each list becomes at most.
    public static let longestList = 1000
}
