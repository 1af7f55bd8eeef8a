package import MediaIO
public import Reactions
import Synchronization

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
        guard let report = progress else { return self }
        var observer = self
        observer.progress = { @Sendable step in
            var told = step
            told.pass = pass
            told.part = part
            report(told)
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
    package var survey: IndexedRecording?
    /// What was decided, where a plan was asked for.
    package var plan: ReactionPlan?
}

extension SessionProgress {
    /// A part of a run: what goes over the video once.
    package struct Part: Sendable, Hashable {
        /// The share of the run that it is taken for, 0…1.
        package var share: ClosedRange<Double>
        /// Which part it is; later ones have higher numbers.
        package var number: Int

        /// All of a run.
        package static let whole = Part(share: 0...1, number: 0)
        /// The share of a run of two passes that looking through a recording takes, roughly.
        package static let lookingShare = 0.7
        /// The same where all is encoded.
        package static let lookingShareOfWhole = 0.15
        /// What follows once a recording was looked through.
        package static let rendering = Part(share: lookingShare...1, number: 3)
        /// The same, where it turned out that all must be encoded.
        package static let renderingAll = Part(share: lookingShare...1, number: 4)
        /// The same, where that was known before.
        package static let renderingWhole = Part(share: lookingShareOfWhole...1, number: 3)

        /// A quick look through a recording, and the closer one at what it finds.
        ///
        /// - Parameter share: of the run, for both. Looking closely at little takes a fifth of it, roughly.
        package static func looks(_ share: ClosedRange<Double>) -> (quick: Part, close: Part, all: Part) {
            let middle = share.lowerBound + 0.8 * (share.upperBound - share.lowerBound)
            return (
                Part(share: share.lowerBound...middle, number: 1), Part(share: middle...share.upperBound, number: 2),
                Part(share: share, number: 2)
            )
        }

        /// - Parameter done: the share of this part that is done.
        package func fraction(of done: Double) -> Double {
            share.lowerBound + min(max(done, 0), 1) * (share.upperBound - share.lowerBound)
        }
    }
}

/// Puts all parts of a run on one scale, on which nothing ever goes back: frames come in the order in which they are
/// coded, and a part may have to be begun anew in another way.
package final class ProgressScale: Sendable {
    private struct State {
        var part: SessionProgress.Part?
        var pass = SessionProgress.Pass.only
        /// What is left of the run for the part.
        var share = 0.0...1.0
        var fraction = 0.0
        var frames = 0
        var seconds = 0.0
        var effects = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The same step on the scale of the whole run.
    package func placed(_ step: SessionProgress) -> SessionProgress {
        state.withLock { state in
            var told = step
            if state.part != step.part {
                state.part = step.part
                let upper = max(step.part.share.upperBound, state.fraction)
                state.share = min(max(step.part.share.lowerBound, state.fraction), upper)...upper
            }
            if state.pass != step.pass { (state.pass, state.frames, state.seconds) = (step.pass, 0, 0) }
            if let duration = step.duration, duration > 0 {
                let part = SessionProgress.Part(share: state.share, number: step.part.number)
                state.fraction = max(state.fraction, part.fraction(of: step.seconds / duration))
                told.placed = state.fraction
            }
            state.frames = max(state.frames, step.frames)
            state.seconds = max(state.seconds, step.seconds)
            state.effects = max(state.effects, step.effects)
            (told.frames, told.seconds, told.effects) = (state.frames, state.seconds, state.effects)
            return told
        }
    }
}
