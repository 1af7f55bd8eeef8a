package import MediaIO
public import Reactions
import Synchronization

/// The callbacks of a caller for the duration of a session.
///
/// Both closures are called on the session's threads. Calls of one closure are in order and do not overlap. The video
/// waits until a call returns.
public struct SessionObserver: Sendable {
    /// Receives every event of the stream as soon as it is known.
    public var event: (@Sendable (ReactionEvent) -> Void)?
    /// Receives the progress of the run, after every frame.
    public var progress: (@Sendable (SessionProgress) -> Void)?

    /// Creates an observer that receives events and progress through its closures.
    public init(
        event: (@Sendable (ReactionEvent) -> Void)? = nil,
        progress: (@Sendable (SessionProgress) -> Void)? = nil
    ) {
        self.event = event
        self.progress = progress
    }
}

/// The progress of a run.
public struct SessionProgress: Sendable, Hashable {
    /// The number of frames that the last stage of this pass has finished.
    public var frames: Int
    /// The seconds of video that this pass has finished.
    public var seconds: Double
    /// The duration of the whole video, in seconds; `nil` if the input does not state it.
    public var duration: Double?
    /// The number of effects that have started.
    public var effects: Int
    /// The pass over the video that is in progress.
    public var pass = Pass.only
    /// The part of the run that this progress belongs to.
    package var part = Part.whole
    /// The completed share of the whole run, 0…1; `nil` until ``ProgressScale`` sets it.
    package var placed: Double?

    /// A pass over a video.
    public enum Pass: String, Sendable, Hashable {
        /// The only pass of a run.
        case only
        /// The first of two passes, in which a recording is analysed for gestures.
        case looking
        /// The second of two passes, in which frames with effects are drawn, and all frames are written.
        case rendering
    }

    /// The completed share of the whole run, 0…1, as an estimate. `nil` if the input does not state its duration. It
    /// never decreases during a run.
    public var fraction: Double? {
        guard let duration, duration > 0 else { return nil }
        return placed ?? part.fraction(of: seconds / duration)
    }

    /// Creates the progress of a run.
    public init(frames: Int, seconds: Double, duration: Double?, effects: Int) {
        self.frames = frames
        self.seconds = seconds
        self.duration = duration
        self.effects = effects
    }
}

extension SessionObserver {
    /// Returns an observer that adds a part of the run, and a pass, to each progress report.
    package func during(_ part: SessionProgress.Part, of pass: SessionProgress.Pass) -> SessionObserver {
        guard let report = progress else { return self }
        var observer = self
        observer.progress = { @Sendable step in
            var placed = step
            placed.pass = pass
            placed.part = part
            report(placed)
        }
        return observer
    }
}

/// The result of a run.
public struct SessionOutcome: Sendable, Hashable {
    /// The figures of the whole stream.
    public var summary: ReactionEvent.StreamSummary
    /// The latency of frames, if ``Configuration/measuresLatency`` is set.
    public var statistics: ReactionEvent.Statistics?
    /// True if ``ReactionSession/stop()`` ended the run before the input ended.
    public var interrupted: Bool
    /// The report of the encoding over time; `nil` if nothing was encoded.
    public var encoding: EncodingReport?
    /// The path of the written file; `nil` if nothing is written. Usually it is the requested output. If
    /// ``ReactionSession/stop()`` ended a recording early, it may be another file in the same folder
    /// (``Configuration/keepsPartialOutput``).
    public var output: String?
    /// The index of the recording's packets, if a plan was requested.
    package var indexedRecording: IndexedRecording?
    /// The plan, if one was requested.
    package var plan: ReactionPlan?
}

extension SessionProgress {
    /// A part of a run with its own progress, such as the scan, the close analysis or the rendering.
    package struct Part: Sendable, Hashable {
        /// The estimated share of the run, 0…1.
        package var share: ClosedRange<Double>
        /// The number of the part; later ones have higher numbers.
        package var number: Int

        /// The only part of a run.
        package static let whole = Part(share: 0...1, number: 0)
        /// The approximate share of the analysis pass in a run of two passes.
        package static let analysisShare = 0.7
        /// The share of the analysis pass if all frames are encoded.
        package static let analysisShareOfFullEncode = 0.15
        /// The part that follows the analysis of a recording.
        package static let rendering = Part(share: analysisShare...1, number: 3)
        /// The rendering pass, if it turned out during the run that all frames must be encoded.
        package static let renderingAll = Part(share: analysisShare...1, number: 4)
        /// The rendering pass, if it was known before the run that all frames must be encoded.
        package static let renderingWhole = Part(share: analysisShareOfFullEncode...1, number: 3)

        /// Returns the parts of an analysis pass: a coarse scan of a recording (`quick`) and the close analysis of its
        /// candidates (`close`), or an analysis of all of it (`all`).
        ///
        /// - Parameter share: The share of the run for the analysis pass, 0…1. Close analysis of a few candidates takes
        ///   about a fifth of the pass.
        package static func analysis(_ share: ClosedRange<Double>) -> (quick: Part, close: Part, all: Part) {
            let middle = share.lowerBound + 0.8 * (share.upperBound - share.lowerBound)
            return (
                Part(share: share.lowerBound...middle, number: 1), Part(share: middle...share.upperBound, number: 2),
                Part(share: share, number: 2)
            )
        }

        /// Returns the completed share of the run, 0…1, for a completed share of this part.
        package func fraction(of done: Double) -> Double {
            share.lowerBound + min(max(done, 0), 1) * (share.upperBound - share.lowerBound)
        }
    }
}

/// Maps the progress of all passes of a run, on any thread, to one fraction that never decreases. Otherwise, progress
/// could go back: frames arrive in decoding order, and a pass may restart, for example if smart rendering turns out to
/// be impossible.
package final class ProgressScale: Sendable {
    private struct State {
        var part: SessionProgress.Part?
        var pass = SessionProgress.Pass.only
        /// The share of the run, 0…1, for the current part. It does not begin before `fraction`.
        var share = 0.0...1.0
        var fraction = 0.0
        var frames = 0
        var seconds = 0.0
        var effects = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Returns the progress of a pass with the fraction of the whole run, and with counts that never decrease in a
    /// pass.
    package func placed(_ step: SessionProgress) -> SessionProgress {
        state.withLock { state in
            var placed = step
            if state.part != step.part {
                state.part = step.part
                let upper = max(step.part.share.upperBound, state.fraction)
                state.share = min(max(step.part.share.lowerBound, state.fraction), upper)...upper
            }
            if state.pass != step.pass { (state.pass, state.frames, state.seconds) = (step.pass, 0, 0) }
            if let duration = step.duration, duration > 0 {
                let part = SessionProgress.Part(share: state.share, number: step.part.number)
                state.fraction = max(state.fraction, part.fraction(of: step.seconds / duration))
                placed.placed = state.fraction
            }
            state.frames = max(state.frames, step.frames)
            state.seconds = max(state.seconds, step.seconds)
            state.effects = max(state.effects, step.effects)
            (placed.frames, placed.seconds, placed.effects) = (state.frames, state.seconds, state.effects)
            return placed
        }
    }
}
