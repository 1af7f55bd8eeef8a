import Platform

/// Estimates, before an effect starts, the bit rate that it will add, and the share of its pieces for which the rate
/// suffices.
///
/// The picture of the person has priority over the effect. If the rate cannot rise far enough for all pieces, fewer
/// pieces are drawn, so that the picture keeps about the same quality.
package struct EffectBudget: Sendable, Hashable {
    /// The highest bit rate, in bits a second.
    package var limit: Double
    /// The number of pixels of a frame.
    package var pixels: Int
    /// The frames a second while effects run.
    package var frameRate: Double
    /// The statistics of the frames before the effects.
    package var quiet: QuietFrames

    package init(limit: Double, pixels: Int, frameRate: Double, quiet: QuietFrames) {
        self.limit = limit
        self.pixels = pixels
        self.frameRate = frameRate
        self.quiet = quiet
    }

    /// The quantiser up to which losses are invisible: its step is 3.25 of 255 (ITU-T H.264, table 8-15), so that
    /// samples are off by two at most.
    static let finestQP = 14.0
    /// The share of ``limit`` that is planned; the rest is for effects that need more than estimated.
    static let usedShare = 0.85
    /// The octaves (powers of two) by which the bits a second grow when the frame rate doubles and the motion from
    /// frame to frame halves. Measured from 15 to 60 frames a second.
    static let octavesPerFrameRate = 0.3
    /// The octaves by which the bits grow when the number of pixels doubles, which makes edges longer by half an
    /// octave. Measured from 640×360 to 1920×1080: 0.6 with confetti and 0.8 with rain.
    static let octavesPerSize = 0.65
    /// The step to which the detail is rounded. The rate of x264 differs slightly between runs; with coarse steps, the
    /// number of drawn pieces rarely differs.
    static let step = 0.1

    /// Returns the bits a second that an effect adds at the quantiser of the frames before the effect.
    ///
    /// - Parameter detail: The drawn share of the effect's pieces, 0…1.
    package func addedBitRate(of cost: EffectCost, detail: Double = 1) -> Double {
        addedBitRate(of: cost, at: quiet.qp) * cost.share(ofDetail: detail)
    }

    /// Returns the share of an effect's pieces for which there is room, at least ``EffectCost/minimumDetail`` and at
    /// most 1.
    ///
    /// - Parameter other: The bits a second that the effects in progress add, at the quantiser of the frames before
    ///   these effects.
    package func detail(for cost: EffectCost, besides other: Double) -> Double {
        let qp = max(quiet.qp + EncoderGovernor.allowance, Self.finestQP)
        let coarser = qp - quiet.qp
        let taken =
            quiet.bitRate * power(-coarser / EncoderGovernor.qpPerOctave)
            + other * power(-coarser / EffectCost.qpPerOctave)
        let share = (limit * Self.usedShare - taken) / addedBitRate(of: cost, at: qp)
        guard let detail = cost.detail(forShare: share) else { return 1 }
        return min(max((detail / Self.step).rounded() * Self.step, EffectCost.minimumDetail), 1)
    }

    private func addedBitRate(of cost: EffectCost, at qp: Double) -> Double {
        let size = octaves(Double(pixels) / EffectCost.referencePixels) * Self.octavesPerSize
        let pace = octaves(frameRate / EffectCost.referenceFrameRate) * Self.octavesPerFrameRate
        let fineness = (EffectCost.referenceQP - qp) / EffectCost.qpPerOctave
        return cost.bits * EffectCost.referenceFrameRate * power(size + pace + fineness)
    }
}

/// The bits that an effect adds to a video.
///
/// The factor by which an effect multiplies the bits depends on the clip: confetti needs 1.5 times the bits of a noisy
/// room and twelve times the bits of a still one. The *added* bits do not depend on the clip, since the same pieces
/// with the same edges are encoded. They depend on the quantiser, the picture's size and the frame rate.
package struct EffectCost: Sendable, Hashable {
    /// The bits that the effect adds to each frame at ``referenceQP``, ``referencePixels`` and ``referenceFrameRate``.
    package var bits: Double
    /// The part of the bits that depends on the number of pieces. The rest belongs to lights, large or single objects,
    /// and the background.
    package var piecesBits: Double

    package init(bits: Double, piecesBits: Double = 0) {
        self.bits = bits
        self.piecesBits = min(piecesBits, bits)
    }

    /// The smallest share of pieces with which an effect still looks right.
    package static let minimumDetail = 0.5
    /// The quantiser that ``bits`` refers to.
    static let referenceQP = 18.0
    static let referencePixels = 1280.0 * 720
    static let referenceFrameRate = 30.0
    /// The QP difference at which the bits double; measured from QP 14 to 34, with values between 5.4 and 7, depending
    /// on the effect.
    static let qpPerOctave = 6.3

    /// Returns the share of the bits that remains for a share of the pieces.
    package func share(ofDetail detail: Double) -> Double {
        bits > 0 ? 1 - (1 - detail) * piecesBits / bits : 1
    }

    /// Returns the cost of the effect with a share of its pieces.
    package func thinned(to detail: Double) -> EffectCost {
        EffectCost(bits: bits * share(ofDetail: detail), piecesBits: piecesBits * detail)
    }

    /// Returns the detail at which a share of the bits remains, unclamped; `nil` if no piece can be omitted.
    func detail(forShare share: Double) -> Double? {
        piecesBits > 0 ? 1 - (1 - share) * bits / piecesBits : nil
    }
}

/// The encoder's statistics of the frames before an effect.
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

/// The demand of an effect on the encoder.
package struct EffectDemand: Sendable, Hashable {
    /// The time stamp of its first frame, in seconds; may be in the future.
    package var startTime: Double
    /// The first instant without the effect, in seconds.
    package var endTime: Double
    /// The measured factor of the bits at the same quality, compared with the same frames without the effect; at least
    /// 1.
    package var complexity: Double
    /// The estimated bits a second that the effect adds at the quantiser of the frames before it; `nil` if unknown.
    package var addedBitRate: Double?

    package init(startTime: Double, endTime: Double, complexity: Double, addedBitRate: Double? = nil) {
        self.startTime = startTime
        self.endTime = endTime
        self.complexity = max(complexity, 1)
        self.addedBitRate = addedBitRate
    }
}

extension EffectDemand {
    /// Returns the factor of the bits for simultaneous effects: each adds its own pixels to the same picture.
    package static func complexity(of demands: [EffectDemand]) -> Double {
        1 + demands.reduce(0) { $0 + $1.complexity - 1 }
    }

    /// Returns the bits a second that simultaneous effects add; `nil` if the bits of any effect are unknown.
    static func addedBitRate(of demands: [EffectDemand]) -> Double? {
        demands.reduce(0) { sum, demand in sum.flatMap { sum in demand.addedBitRate.map { sum + $0 } } }
    }

    /// Returns whether the demand equals another one, apart from its time.
    func hasSameCost(as other: EffectDemand) -> Bool {
        complexity == other.complexity && addedBitRate == other.addedBitRate
    }
}

/// Returns 2 to a power.
func power(_ octaves: Double) -> Double { exp2(octaves) }

/// Returns the base-2 logarithm of a ratio.
func octaves(_ ratio: Double) -> Double { log2(ratio) }
