/// Chooses the frames that are shown while effects run at a lower rate: a state machine without clock, lock or I/O.
///
/// Frames are dropped, never moved: each remaining one keeps its time stamp, so that sound stays in sync. The remaining
/// frames are as even as the input's times allow, for any constant or variable rate. An input below the rate loses no
/// frames.
package struct FramePacer: Sendable {
    /// The maximum number of frames a second while pacing.
    package let rate: Double
    /// The first frame since pacing began, in seconds, from which slots of 1 / rate are counted.
    private var start: Double?
    private var lastSlot = 0.0

    /// The share of a slot by which a frame may be early: containers round times to milliseconds.
    private static let tolerance = 0.25

    /// - Parameter rate: Frames a second, above 0.
    package init(rate: Double) {
        precondition(rate > 0)
        self.rate = rate
    }

    /// Returns whether a frame is shown.
    ///
    /// - Parameters:
    ///   - time: The frame's time stamp in seconds; later than the previous one.
    ///   - isPacing: Whether effects are in progress at that time.
    package mutating func keeps(_ time: Double, isPacing: Bool) -> Bool {
        guard isPacing else {
            start = nil
            return true
        }
        guard let start else {
            start = time
            lastSlot = 0
            return true
        }
        let slot = ((time - start) * rate + Self.tolerance).rounded(.down)
        guard slot > lastSlot else { return false }
        lastSlot = slot
        return true
    }
}

/// Chooses the frames to drop so that the others stay within a QP ceiling at the rate. A state machine without clock,
/// lock or I/O.
///
/// The encoder itself keeps to the ceiling by exceeding its rate. This machine observes the excess in the encoder's
/// output, and passes fewer frames, evenly spaced. The output is late, since encoders look ahead. The needs of an
/// effect are therefore estimated from its complexity, and corrected later.
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
        /// The estimated factor of the bits, compared with a frame without effects.
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

    /// The accumulated share of frames that is not yet used. A frame is kept if the credit is at least 1, and uses 1.
    private var credit = 0.0
    /// The last frames at which ceiling or complexity changed, and the most recent frame.
    private var history: [Frame] = []
    private var last: Frame?
    /// The time between input frames, in seconds.
    package private(set) var step = 1.0 / 30
    /// The mean bits of recent frames, converted to the ceiling's quantiser.
    private var bitsAtCeiling = ForgettingMean(memory: Self.memory)
    /// The bits beyond the rate that the ceiling has forced, as seconds of the rate.
    private var debt = 0.0
    /// The number of frames in the encoder.
    private var waiting = 0
    private var lastFinished: Double?

    /// The approximate number of finished frames in the mean.
    static let memory = 12.0
    /// The debt in seconds that halves the share of frames.
    static let debtHalving = 1.0
    /// The seconds by which the encoder's own buffer may exceed the rate without a debt.
    static let buffer = 0.5
    /// The largest debt in seconds: a larger one would delay the picture for long.
    static let largestDebt = 4.0
    /// The maximum number of changes within an encoder's delay.
    private static let longestHistory = 8
    /// The smallest number of frames a second.
    static let smallestRate = 1.0
    /// The steps of the quantiser for which the bits double (ITU-T H.264, 8.5.9).
    private static let qpPerOctave = EncoderGovernor.qpPerOctave

    package init() {}

    /// The shortage of the rate for all frames, in powers of two.
    package var shortage: Double { -octaves(share) }

    /// Returns whether a frame is encoded.
    ///
    /// - Parameter mustStay: Whether the frame cannot be dropped, because an event refers to it.
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
        // The expected bits of the frames in the encoder, minus the time that the frames have.
        let expected = debt + Double(waiting) * bits / rate - (last.time - (lastFinished ?? last.time))
        let correction = power(-min(max(expected, -Self.buffer), Self.largestDebt) / Self.debtHalving)
        return min(max(room * correction, Self.smallestRate * step), 1)
    }
}

/// The exponentially weighted mean of recent values.
struct ForgettingMean: Sendable {
    private let kept: Double
    private var sum = 0.0
    private(set) var weight = 0.0

    /// - Parameter memory: The number of values after which the weight of a value has fallen to 1/e.
    init(memory: Double) { kept = 1 - 1 / max(memory, 1) }

    /// The mean; `nil` before the first value.
    var value: Double? { weight > 0 ? sum / weight : nil }

    mutating func add(_ value: Double) {
        sum = sum * kept + value
        weight = weight * kept + 1
    }

    mutating func scale(by factor: Double) { sum *= factor }
}

/// Corrects the rate of an encoder that assumes equal frame durations. Such an encoder would spend less than its rate
/// if frames are dropped. A state machine without clock, lock or I/O.
///
/// x264 with `zerolatency` behaves like this, since the tuning disables variable frame rates. Enabling them again would
/// delay each frame until the next one.
package struct PaceCorrection: Sendable {
    /// The factor of the rate, 1…``largest``.
    package private(set) var factor = 1.0

    /// The frame duration that the encoder expects, in seconds.
    private let expected: Double
    private var recent = ForgettingMean(memory: 4)
    private var lastTime: Double?

    /// The maximum factor. Longer times between frames are gaps in the input.
    static let largest = 8.0
    /// The factor by which the pace must change. Smaller changes are noise of the time stamps.
    static let tolerance = 1.2

    /// - Parameter frameRate: The frame rate that the encoder expects, in frames a second, above 0.
    package init(frameRate: Double) {
        precondition(frameRate > 0)
        expected = 1 / frameRate
    }

    /// Advances to the next encoded frame.
    ///
    /// - Returns: Whether ``factor`` changed.
    package mutating func advance(to time: Double) -> Bool {
        defer { lastTime = time }
        guard let lastTime, time > lastTime else { return false }
        recent.add(min(time - lastTime, Self.largest * expected))
        let wanted = max((recent.value ?? expected) / expected, 1)
        guard wanted > factor * Self.tolerance || wanted * Self.tolerance < factor else { return false }
        factor = wanted
        return true
    }
}
