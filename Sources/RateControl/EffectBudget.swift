import Platform

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

/// What an effect adds to the bits of a video.
///
/// The factor by which an effect multiplies the bits depends on the clip most of all: confetti takes 1.5 times
/// the bits of a noisy room and twelve times those of a still one. What it *adds* does not: the same pieces with the
/// same edges are coded before both. It depends on how fine they are coded, on the picture's size and the frame rate.
package struct EffectCost: Sendable, Hashable {
    /// Bits that it adds to each frame at ``referenceQP``, ``referencePixels`` and ``referenceFrameRate``.
    package var bits: Double
    /// Those of them that its pieces take, and with fewer pieces would not; the rest are lights, what is large or
    /// alone, and the room behind them.
    package var piecesBits: Double

    package init(bits: Double, piecesBits: Double = 0) {
        self.bits = bits
        self.piecesBits = min(piecesBits, bits)
    }

    /// With half of its pieces an effect still is itself, and beautiful.
    package static let leastDetail = 0.5
    /// The quantiser that ``bits`` holds for.
    static let referenceQP = 18.0
    static let referencePixels = 1280.0 * 720
    static let referenceFrameRate = 30.0
    /// By how much the quantiser falls while the bits double; measured from 14 to 34, where effects lie between 5.4
    /// and 7.
    static let qpPerOctave = 6.3

    /// The share of its bits that it takes with a share of its pieces.
    package func share(ofDetail detail: Double) -> Double {
        bits > 0 ? 1 - (1 - detail) * piecesBits / bits : 1
    }

    /// What the effect adds where it never has more than a share of its pieces.
    package func thinned(to detail: Double) -> EffectCost {
        EffectCost(bits: bits * share(ofDetail: detail), piecesBits: piecesBits * detail)
    }

    /// The detail with which it takes a share of its bits, not held within any bounds; `nil` where no piece can be spared.
    func detail(forShare share: Double) -> Double? {
        piecesBits > 0 ? 1 - (1 - share) * bits / piecesBits : nil
    }
}

/// The frames before an effect, as the encoder tells of them.
package struct QuietFrames: Sendable, Hashable {
    /// The mean quantiser.
    package var qp: Double
    /// Bits a second.
    package var bitRate: Double

    package init(qp: Double, bitRate: Double) {
        self.qp = qp
        self.bitRate = bitRate
    }
}

/// An effect as the encoder feels it.
package struct EffectDemand: Sendable, Hashable {
    /// The time stamp of its first frame, in seconds; may lie ahead.
    package var startTime: Double
    /// The first instant without it, in seconds.
    package var endTime: Double
    /// How many times the bits of the same frames without it they take at the same quality,
    /// measured; at least 1.
    package var complexity: Double
    /// Bits a second that it adds at the quantiser of the frames before it, reckoned beforehand; `nil` where nobody
    /// could.
    package var addedBitRate: Double?

    package init(startTime: Double, endTime: Double, complexity: Double, addedBitRate: Double? = nil) {
        self.startTime = startTime
        self.endTime = endTime
        self.complexity = max(complexity, 1)
        self.addedBitRate = addedBitRate
    }
}

extension EffectDemand {
    /// How many times the bits several effects at once take: each adds its own pixels to the same picture.
    package static func complexity(of demands: [EffectDemand]) -> Double {
        1 + demands.reduce(0) { $0 + $1.complexity - 1 }
    }

    /// Bits a second that several effects at once add; `nil` where that is not known of each.
    static func addedBitRate(of demands: [EffectDemand]) -> Double? {
        demands.reduce(0) { sum, demand in sum.flatMap { sum in demand.addedBitRate.map { sum + $0 } } }
    }

    /// Whether it takes what another one takes, whenever that starts.
    func takesAsMuch(as other: EffectDemand) -> Bool {
        complexity == other.complexity && addedBitRate == other.addedBitRate
    }
}

/// 2 to a power.
func power(_ octaves: Double) -> Double { exp2(octaves) }

/// The power of two that a ratio is.
func octaves(_ ratio: Double) -> Double { log2(ratio) }
