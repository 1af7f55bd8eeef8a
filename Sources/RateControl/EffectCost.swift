/// What an effect adds to the bits of a video.
///
/// The factor by which an effect multiplies the bits depends on the clip most of all: confetti takes 1.5 times
/// the bits of a noisy room and twelve times those of a still one. What it *adds* does not: the same pieces with the
/// same edges are coded before both. It depends on how fine they are coded, on the picture's size and the frame rate.
package struct EffectCost: Sendable, Hashable {
    /// Bits that it adds to each frame at ``referenceQP``, ``referencePixels`` and ``referenceFrameRate``.
    package var bits: Double
    /// The share of its pieces with which it still is this effect; 1 where none can be spared.
    package var leastDetail: Double

    package init(bits: Double, leastDetail: Double = 1) {
        self.bits = bits
        self.leastDetail = leastDetail
    }

    /// The quantiser that ``bits`` holds for.
    static let referenceQP = 18.0
    static let referencePixels = 1280.0 * 720
    static let referenceFrameRate = 30.0
    /// By how much the quantiser falls while the bits double; measured from 14 to 34, where effects lie between 5.4
    /// and 7.
    static let qpPerOctave = 6.3
    /// What stays of the bits when nearly no piece is left: lights, streamers, the ground that was hidden.
    static let fixedShare = 0.2

    /// The share of its bits that an effect with fewer pieces takes.
    package static func share(ofDetail detail: Double) -> Double { fixedShare + (1 - fixedShare) * detail }

    /// The detail with which an effect takes a share of its bits; not held within any bounds.
    static func detail(forShare share: Double) -> Double { (share - fixedShare) / (1 - fixedShare) }
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
