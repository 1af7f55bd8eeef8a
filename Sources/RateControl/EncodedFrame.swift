import Platform

/// The encoder's statistics of a finished frame.
package struct EncodedFrame: Sendable, Hashable {
    /// The presentation time stamp in seconds.
    package var time: Double
    /// The duration in seconds; 0 if unknown.
    package var duration: Double
    package var bits: Int
    /// The mean quantiser; `nil` if the encoder does not report it.
    package var qp: Double?

    /// True if the frame can be decoded alone.
    package var isKeyFrame: Bool

    package init(time: Double, duration: Double, bits: Int, qp: Double?, isKeyFrame: Bool = false) {
        self.time = time
        self.duration = duration
        self.bits = bits
        self.qp = qp
        self.isKeyFrame = isKeyFrame
    }
}

/// The exponentially weighted mean of the bits and the quantiser of recent frames.
struct FrameAverage: Sendable {
    private let timeConstant: Double
    private var weight = 0.0
    private var bits = 0.0
    private var qpWeight = 0.0
    private var qpSum = 0.0
    /// The duration of all frames, in seconds.
    private(set) var seconds = 0.0

    /// - Parameter timeConstant: The number of seconds after which the weight of a frame has fallen to 1/e.
    init(timeConstant: Double) {
        self.timeConstant = timeConstant
    }

    mutating func reset() { self = FrameAverage(timeConstant: timeConstant) }

    mutating func add(_ frame: EncodedFrame) {
        // A frame without a duration counts as 1/30 s.
        let duration = frame.duration > 0 ? frame.duration : 1.0 / 30
        let kept = exp(-duration / timeConstant)
        weight = weight * kept + duration
        bits = bits * kept + Double(frame.bits)
        seconds += duration
        guard let qp = frame.qp else { return }
        qpWeight = qpWeight * kept + duration
        qpSum = qpSum * kept + qp * duration
    }

    /// Bits a second; `nil` before the first frame.
    var bitRate: Double? { weight > 0 ? bits / weight : nil }
    /// The mean quantiser; `nil` if no frame had one.
    var qp: Double? { qpWeight > 0 ? qpSum / qpWeight : nil }
}
