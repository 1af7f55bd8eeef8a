import Synchronization

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
