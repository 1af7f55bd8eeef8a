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
