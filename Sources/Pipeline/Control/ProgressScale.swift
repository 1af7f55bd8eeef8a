import MediaIO
import Reactions
import Synchronization

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
