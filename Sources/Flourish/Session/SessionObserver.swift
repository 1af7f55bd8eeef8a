/// What a caller wants to hear while a session runs.
///
/// Both closures are called on the session's threads, in order, one call at a
/// time each; while one runs, the video waits.
public struct SessionObserver: Sendable {
    /// Every event of the stream, as it becomes known.
    public var event: (@Sendable (ReactionEvent) -> Void)?
    /// How far the run has come, after every frame.
    public var progress: (@Sendable (SessionProgress) -> Void)?

    /// An observer that hears what it has closures for.
    public init(
        event: (@Sendable (ReactionEvent) -> Void)? = nil,
        progress: (@Sendable (SessionProgress) -> Void)? = nil
    ) {
        self.event = event
        self.progress = progress
    }
}

/// How far a run has come.
public struct SessionProgress: Sendable, Hashable {
    /// Frames that have left the last stage.
    public var frames: Int
    /// Seconds of video that lie behind.
    public var seconds: Double
    /// Seconds of video in all; `nil` where the input does not say.
    public var duration: Double?
    /// Effects that have started.
    public var effects: Int

    /// How far a run has come.
    public init(frames: Int, seconds: Double, duration: Double?, effects: Int) {
        self.frames = frames
        self.seconds = seconds
        self.duration = duration
        self.effects = effects
    }
}

/// How a run ended.
public struct SessionOutcome: Sendable, Hashable {
    /// The figures of the whole stream.
    public var summary: ReactionEvent.StreamSummary
    /// How long frames took, where ``Configuration/measuresLatency`` asks for it.
    public var statistics: ReactionEvent.Statistics?
    /// Whether ``ReactionSession/stop()`` ended it before the input did.
    public var interrupted: Bool
    /// The report of the encoding over time; `nil` where nothing was encoded.
    public var encoding: EncodingReport?
    /// What was decided, where a plan was asked for.
    var plan: ReactionPlan?
}
