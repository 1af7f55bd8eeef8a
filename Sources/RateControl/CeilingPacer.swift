/// Chooses the frames to drop, so that the encoder can keep the others below a QP ceiling at its bit rate. A state
/// machine without clock, lock or I/O, used on the encoder's thread.
///
/// If the rate is too low, the encoder keeps to the ceiling and exceeds its rate. The pacer observes the excess in the
/// encoder's output, and passes fewer frames, evenly spaced. Output is late, since encoders look ahead. So the bits of
/// an effect are first estimated from its complexity, and corrected later.
///
/// The pacer decides about each frame before it is encoded (``keeps(_:mustStay:)``), and receives each frame that the
/// encoder has finished (``observe(_:)``). Results are reproducible as long as both calls interleave in the same way in
/// every run.
package struct CeilingPacer: Sendable {
    /// The known properties of a frame before it is encoded.
    package struct Frame: Sendable, Hashable {
        /// The time stamp in seconds; later than the previous one.
        package var time: Double
        /// The coarsest quantiser that the frame may have.
        package var ceiling: Double
        /// The encoder's target in bits a second.
        package var bitRate: Int
        /// The estimated bits, as a multiple of the bits of the same frame without effects.
        package var complexity: Double

        package init(time: Double, ceiling: Double, bitRate: Int, complexity: Double) {
            self.time = time
            self.ceiling = ceiling
            self.bitRate = bitRate
            self.complexity = complexity
        }
    }

    /// The share of frames for which the rate has room, 0…1.
    package private(set) var share = 1.0

    /// The sum of the frames' shares, less 1 for each kept frame. A frame is kept if the credit is at least 1.
    private var credit = 0.0
    /// The last frames at which ceiling or complexity changed, and the latest frame of all.
    private var history: [Frame] = []
    private var last: Frame?
    /// The time between input frames, in seconds.
    package private(set) var step = 1.0 / 30
    /// The mean bits of recent frames, converted to the quantiser of the ceiling.
    private var bitsAtCeiling = ForgettingMean(memory: Self.memory)
    /// The bits beyond the rate that the ceiling has forced, in seconds of the rate; negative if bits were saved.
    private var debt = 0.0
    /// The number of frames that wait in the encoder.
    private var waiting = 0
    private var lastFinished: Double?

    /// The approximate number of finished frames in the mean.
    static let memory = 12.0
    /// The debt in seconds that halves the share of frames.
    static let debtHalving = 1.0
    /// The largest negative debt in seconds: saved bits that the encoder's own buffer can spend.
    static let buffer = 0.5
    /// The largest debt in seconds. A larger one would keep the share of frames low for long.
    static let largestDebt = 4.0
    /// The maximum length of ``history``: as many changes may occur within an encoder's delay.
    private static let longestHistory = 8
    /// The smallest number of frames a second.
    static let smallestRate = 1.0
    /// The steps of the quantiser for which the bits double (ITU-T H.264, 8.5.9).
    private static let qpPerOctave = EncoderGovernor.qpPerOctave

    package init() {}

    /// The factor by which the rate is too low for all frames, in powers of two.
    package var shortage: Double { -octaves(share) }

    /// Returns whether a frame is encoded.
    ///
    /// - Parameter mustStay: Whether the frame must be kept, because an event refers to it.
    package mutating func keeps(_ frame: Frame, mustStay: Bool) -> Bool {
        if let last {
            if frame.time > last.time { step = frame.time - last.time }
            // Earlier output is converted to the complexity of the next frames.
            bitsAtCeiling.scale(by: Self.ratio(of: frame, to: last))
        }
        if last?.ceiling != frame.ceiling || last?.complexity != frame.complexity {
            history.append(frame)
            if history.count > Self.longestHistory { history.removeFirst() }
        }
        last = frame
        share = roomyShare
        credit += share
        guard mustStay || credit >= 1 else { return false }
        credit = max(credit - 1, -1)
        waiting += 1
        return true
    }

    /// Adds the encoder's statistics of a finished frame.
    package mutating func observe(_ frame: EncodedFrame) {
        guard let last, let then = history.last(where: { $0.time <= frame.time }) ?? history.first else { return }
        waiting = max(waiting - 1, 0)
        let coarser = (frame.qp ?? then.ceiling) - then.ceiling
        let forced = Double(frame.bits) * power(coarser / Self.qpPerOctave)
        // Key frames are too rare to estimate the next frames; they only count as debt.
        if !frame.isKeyFrame { bitsAtCeiling.add(forced * Self.ratio(of: last, to: then)) }
        let passed = max(frame.time - (lastFinished ?? frame.time), 0)
        lastFinished = max(frame.time, lastFinished ?? frame.time)
        debt = min(max(debt + forced / Double(last.bitRate) - passed, -Self.buffer), Self.largestDebt)
    }

    /// Returns the factor of the bits of one frame compared with another, each at its ceiling.
    private static func ratio(of frame: Frame, to other: Frame) -> Double {
        frame.complexity / other.complexity * power((other.ceiling - frame.ceiling) / qpPerOctave)
    }

    /// The share of frames for which the rate has room at the ceiling.
    private var roomyShare: Double {
        guard let bits = bitsAtCeiling.value, bitsAtCeiling.weight > Self.memory / 2, let last else { return 1 }
        let rate = Double(last.bitRate)
        let room = rate * step / bits
        // The debt after the frames in the encoder, in seconds: their expected bits at the rate, less their duration.
        let expected = debt + Double(waiting) * bits / rate - (last.time - (lastFinished ?? last.time))
        let correction = power(-min(max(expected, -Self.buffer), Self.largestDebt) / Self.debtHalving)
        return min(max(room * correction, Self.smallestRate * step), 1)
    }
}
