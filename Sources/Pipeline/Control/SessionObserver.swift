package import MediaIO
public import Reactions

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
    /// Frames that have left the last stage of this pass.
    public var frames: Int
    /// Seconds of video that lie behind in this pass.
    public var seconds: Double
    /// Seconds of video in all; `nil` where the input does not say.
    public var duration: Double?
    /// Effects that have started.
    public var effects: Int
    /// Which of the run's passes over the video this is.
    public var pass = Pass.only
    /// The part of the run that this is told of.
    package var part = Part.whole
    /// The share of the whole run that is done, where ``ProgressScale`` has said so.
    package var placed: Double?

    /// A pass over a video.
    public enum Pass: String, Sendable, Hashable {
        /// The run goes over the video once.
        case only
        /// The first of two: a recording is looked through for gestures.
        case looking
        /// The second: what effects touch is drawn, and all is written.
        case rendering
    }

    /// The share of the whole run that is done, 0…1, as far as that can be known; `nil` where the input does not say how
    /// long it is. Of one run it never falls.
    public var fraction: Double? {
        guard let duration, duration > 0 else { return nil }
        return placed ?? part.fraction(of: seconds / duration)
    }

    /// How far a run has come.
    public init(frames: Int, seconds: Double, duration: Double?, effects: Int) {
        self.frames = frames
        self.seconds = seconds
        self.duration = duration
        self.effects = effects
    }
}

extension SessionObserver {
    /// The observer of one part of several.
    package func during(_ part: SessionProgress.Part, of pass: SessionProgress.Pass) -> SessionObserver {
        guard let tell = progress else { return self }
        var observer = self
        observer.progress = { @Sendable step in
            var told = step
            told.pass = pass
            told.part = part
            tell(told)
        }
        return observer
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
    /// What was written: the output that was asked for or, of a recording that ``ReactionSession/stop()`` ended before its
    /// end, perhaps a file beside it (``Configuration/keepsPartialOutput``); `nil` where nothing is written.
    public var output: String?
    /// What the recording's packets tell, where a plan was asked for.
    package var survey: RecordingSurvey?
    /// What was decided, where a plan was asked for.
    package var plan: ReactionPlan?
}
