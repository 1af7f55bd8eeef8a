/// A change of what the encoder is to aim at, and why.
package struct EncoderAdjustment: Sendable, Hashable {
    package enum Reason: String, Sendable, Hashable {
        /// An effect is known to start within the lead.
        case effectComing
        /// An effect has started, or the set of running ones changed.
        case effectStarted
        /// The frames with the effect come out coarser than those before it, or larger than allowed.
        case effectNeedsMore
        /// They come out finer than those before it, or smaller than allowed.
        case effectNeedsLess
        /// No effect is in progress any more.
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
