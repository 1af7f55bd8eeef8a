/// A change of what the encoder is to aim at, and why.
package struct EncoderAdjustment: Sendable, Hashable {
    package enum Reason: String, Sendable, Hashable {
        /// An effect is known to start within the lead.
        case effectComing
        /// An effect has started, or the set of running ones changed.
        case effectStarted
        /// With a bit rate: the frames with the effect come out clearly coarser than those before it.
        case effectNeedsMore
        /// With a bit rate: they come out finer than those before it.
        case effectNeedsLess
        /// With constant quality: the frames with the effect are larger than the budget allows.
        case overBudget
        /// With constant quality: they are smaller than it allows, though made coarser for it.
        case underBudget
        /// The effect that was known to come does not come.
        case effectCalledOff
        /// With a bit rate: the effects are over, their frames came out coarser than those before them,
        /// and so do those after them.
        case recovering
        /// No effect is in progress any more, and the targets are the usual ones.
        case effectsEnded
    }

    package var reason: Reason
    package var previous: EncoderTargets
    package var requested: EncoderTargets

    package init(reason: Reason, previous: EncoderTargets, requested: EncoderTargets) {
        self.reason = reason
        self.previous = previous
        self.requested = requested
    }
}
