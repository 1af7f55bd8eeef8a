/// Reckons before an effect starts what it will add to the bit rate, and how many of its pieces there is room for.
///
/// The person comes first: where the rate may not rise far enough for all pieces, fewer are drawn, so that the
/// picture stays about as fine as it was.
package struct EffectBudget: Sendable, Hashable {
    /// Up to how many bits a second the rate may rise.
    package var limit: Double
    /// Pixels of a frame.
    package var pixels: Int
    /// Frames a second while effects run.
    package var frameRate: Double
    /// The frames before the effects.
    package var quiet: QuietFrames

    package init(limit: Double, pixels: Int, frameRate: Double, quiet: QuietFrames) {
        self.limit = limit
        self.pixels = pixels
        self.frameRate = frameRate
        self.quiet = quiet
    }

    /// Nobody misses what is lost up to this quantiser: its step is 3.25 of 255 (ITU-T H.264, table 8-15), so that
    /// samples are off by one or two at the most.
    static let finestQP = 14.0
    /// The share of the limit that is reckoned with; what is left is for effects that take more than that.
    static let usedShare = 0.85
    /// Twice as many frames a second, each with half of the motion, take so many octaves more bits; measured from 15 to 60.
    static let octavesPerFrameRate = 0.3
    /// Twice as many pixels take so many octaves more bits, since edges grow longer by half as much; measured from
    /// 640×360 to 1920×1080, with confetti 0.6 and with rain 0.8.
    static let octavesPerSize = 0.65
    /// Details are multiples of this. x264 does not hold a rate in exactly the same way in each run: the coarser the
    /// steps, the less likely is it that the pieces differ.
    static let step = 0.1

    /// Bits a second that an effect adds at the quantiser of the frames before it.
    ///
    /// - Parameter detail: the share of its pieces that is drawn.
    package func addedBitRate(of cost: EffectCost, detail: Double = 1) -> Double {
        addedBitRate(of: cost, at: quiet.qp) * cost.share(ofDetail: detail)
    }

    /// The share of an effect's pieces for which there is room.
    ///
    /// - Parameter other: bits a second that the effects in progress add already, at the quantiser of the frames before.
    package func detail(for cost: EffectCost, besides other: Double) -> Double {
        let qp = max(quiet.qp + EncoderGovernor.allowance, Self.finestQP)
        let coarser = qp - quiet.qp
        let taken =
            quiet.bitRate * power(-coarser / EncoderGovernor.qpPerOctave)
            + other * power(-coarser / EffectCost.qpPerOctave)
        let share = (limit * Self.usedShare - taken) / addedBitRate(of: cost, at: qp)
        guard let detail = cost.detail(forShare: share) else { return 1 }
        return min(max((detail / Self.step).rounded() * Self.step, EffectCost.leastDetail), 1)
    }

    private func addedBitRate(of cost: EffectCost, at qp: Double) -> Double {
        let size = octaves(Double(pixels) / EffectCost.referencePixels) * Self.octavesPerSize
        let pace = octaves(frameRate / EffectCost.referenceFrameRate) * Self.octavesPerFrameRate
        let fineness = (EffectCost.referenceQP - qp) / EffectCost.qpPerOctave
        return cost.bits * EffectCost.referenceFrameRate * power(size + pace + fineness)
    }
}
