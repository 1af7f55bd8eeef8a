import Platform

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

/// Measures how long the picture stays coarse after effects: the time from the end of the last
/// one until the quantiser is back within 1 of what it was before the first one. A state
/// machine without clock, lock or I/O.
///
/// Feed it each frame before that is encoded and each one that the encoder has finished, in
/// any interleaving that is the same in every run.
package struct RecoveryMeter: Sendable {
    /// What was measured.
    package struct Recovery: Sendable, Hashable {
        /// When the last effect ended, in seconds.
        package var endTime: Double
        /// How long after it the quantiser was back, in seconds, in steps of ``window``.
        package var seconds: Double
        /// The mean quantiser before the effects.
        package var usualQP: Double
    }

    private enum State: Sendable {
        /// The state before the first effect, and once the last one is got over.
        case quiet
        /// The state while effects run.
        case effects
        /// The state after the last one ended.
        case recovering(endTime: Double)
    }

    private var state = State.quiet
    private var usual = FrameAverage(timeConstant: EncoderGovernor.memory)
    /// The sums of quantisers in the windows since the end.
    private var windows: [(sum: Double, count: Int)] = []
    private var result: Recovery?

    /// Quantisers are compared as means over so many seconds, since frames of different kinds differ.
    package static let window = 0.2
    /// How far from usual counts as back.
    static let tolerance = 1.0
    /// What has not come back by then is told of no more, in seconds.
    static let patience = 30.0

    package init() {}

    /// Goes on to the next frame that is given to the encoder.
    ///
    /// - Returns: what has become known since the last one, if anything.
    package mutating func advance(to time: Double, showsEffects: Bool) -> Recovery? {
        switch (state, showsEffects) {
        case (.quiet, true), (.recovering, true):
            state = .effects
            result = nil
        case (.effects, false):
            // Where the video began with an effect, what is usual is still to be learned.
            state = usual.qp == nil ? .quiet : .recovering(endTime: time)
            windows = []
        default: break
        }
        defer { result = nil }
        return result
    }

    /// Takes what the encoder says of a finished frame.
    package mutating func observe(_ frame: EncodedFrame) {
        switch state {
        case .quiet: usual.add(frame)
        case .effects: break
        case .recovering(let endTime): recover(frame, since: endTime)
        }
    }

    private mutating func recover(_ frame: EncodedFrame, since endTime: Double) {
        guard frame.time >= endTime, let usualQP = usual.qp else { return }
        let index = Int((frame.time - endTime) / Self.window)
        guard Double(index) * Self.window < Self.patience else {
            state = .quiet
            return
        }
        while windows.count <= index { windows.append((0, 0)) }
        if let qp = frame.qp {
            windows[index].sum += qp
            windows[index].count += 1
        }
        // Frames come in the order of decoding: a window is complete once a later one is past.
        guard index >= 2 else { return }
        let back = windows[..<(index - 1)].firstIndex { window in
            window.count > 0 && window.sum / Double(window.count) <= usualQP + Self.tolerance
        }
        guard let back else { return }
        result = Recovery(endTime: endTime, seconds: Double(back) * Self.window, usualQP: usualQP)
        state = .quiet
    }
}
