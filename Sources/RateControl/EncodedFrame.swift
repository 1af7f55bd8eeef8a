/// What the encoder says of a frame that it has finished.
package struct EncodedFrame: Sendable, Hashable {
    /// The presentation time stamp in seconds.
    package var time: Double
    /// How long it is shown, in seconds; 0 where nobody knows.
    package var duration: Double
    package var bits: Int
    /// The mean quantiser; `nil` where the encoder does not tell.
    package var qp: Double?

    /// Whether it can be decoded alone.
    package var isKeyFrame: Bool

    package init(time: Double, duration: Double, bits: Int, qp: Double?, isKeyFrame: Bool = false) {
        self.time = time
        self.duration = duration
        self.bits = bits
        self.qp = qp
        self.isKeyFrame = isKeyFrame
    }
}
