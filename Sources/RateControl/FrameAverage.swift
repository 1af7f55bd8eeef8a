import Platform

/// The bits and the quantiser of recent frames: a mean that forgets exponentially.
struct FrameAverage: Sendable {
    private let timeConstant: Double
    private var weight = 0.0
    private var bits = 0.0
    private var qpWeight = 0.0
    private var qpSum = 0.0
    /// How much time it has seen, in seconds.
    private(set) var seconds = 0.0

    /// - Parameter timeConstant: after this many seconds a frame counts 1/e.
    init(timeConstant: Double) {
        self.timeConstant = timeConstant
    }

    mutating func reset() { self = FrameAverage(timeConstant: timeConstant) }

    mutating func add(_ frame: EncodedFrame) {
        // Where no duration is known, frames count alike.
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
    /// The mean quantiser; `nil` where no frame told.
    var qp: Double? { qpWeight > 0 ? qpSum / qpWeight : nil }
}
