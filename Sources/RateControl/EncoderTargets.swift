/// What a video encoder aims at. Either rate or quality is set, never both.
package struct EncoderTargets: Sendable, Hashable {
    /// Bits a second, held by a buffer of a second (constant bit rate).
    package var bitRate: Int?
    /// Constant quality on the encoder's own scale; lower is better.
    package var crf: Double?

    package init(bitRate: Int) { self.bitRate = bitRate }
    package init(crf: Double) { self.crf = crf }
}
