/// Chooses the frames that are shown while effects run at a lower rate: a state machine
/// without clock, lock or I/O.
///
/// Frames are left out, never moved: each that stays keeps its time stamp, so that sound
/// stays in sync. Those that stay are as even as the input's own times allow, for any input
/// rate, constant or not; an input slower than the rate loses nothing.
package struct FramePacer: Sendable {
    /// Frames a second that are shown at most while it paces.
    package let rate: Double
    /// The first frame since pacing began, in seconds, from where slots of 1 / rate are counted.
    private var start: Double?
    private var lastSlot = 0.0

    /// A frame may come this share of a slot early: containers round times to milliseconds.
    private static let tolerance = 0.25

    /// - Parameter rate: frames a second, above 0.
    package init(rate: Double) {
        precondition(rate > 0)
        self.rate = rate
    }

    /// Whether a frame is shown.
    ///
    /// - Parameters:
    ///   - time: its time stamp in seconds; later than the last one's.
    ///   - isPacing: whether effects are in progress at that time.
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

/// Chooses the frames that are left out so that the others need be no coarser than a
/// ceiling at the rate: a state machine without clock, lock or I/O.
///
/// The encoder itself holds the ceiling by spending more than its rate. This machine sees
/// that in the bits that come out, and gives it fewer frames, evenly. Bits come out late,
/// since encoders look ahead; what an effect will need is therefore guessed from its
/// complexity, and corrected after.
///
/// Ask it of each frame before that is encoded (``keeps(_:mustStay:)``) and feed it each
/// frame that the encoder has finished (``observe(_:)``), in any interleaving that is the
/// same in every run.
package struct CeilingPacer: Sendable {
    /// What is known of a frame before it is encoded.
    package struct Frame: Sendable, Hashable {
        /// The time stamp in seconds; later than the last one's.
        package var time: Double
        /// The coarsest quantiser that it may have.
        package var ceiling: Double
        /// What the encoder aims at, in bits a second.
        package var bitRate: Int
        /// How many times the bits of a frame without effects it will take.
        package var complexity: Double

        package init(time: Double, ceiling: Double, bitRate: Int, complexity: Double) {
            self.time = time
            self.ceiling = ceiling
            self.bitRate = bitRate
            self.complexity = complexity
        }
    }

    /// The share of frames that the rate has room for, 0…1.
    package private(set) var share = 1.0

    /// Kept frames, each worth `share`, that are still owed to the picture.
    private var owed = 0.0
    /// The frames at which ceiling or complexity changed, the last few, and the last of all.
    private var history: [Frame] = []
    private var last: Frame?
    /// The time from one input frame to the next, in seconds.
    package private(set) var step = 1.0 / 30
    /// The bits of recent frames, as if each had been as coarse as the ceiling.
    private var bitsAtCeiling = ForgettingMean(memory: Self.memory)
    /// Bits beyond the rate that the ceiling has forced, in seconds of it.
    private var debt = 0.0
    /// Frames that are inside the encoder.
    private var waiting = 0
    private var lastFinished: Double?

    /// How many finished frames the mean is taken over, more or less.
    static let memory = 12.0
    /// A debt of so many seconds halves the share of frames.
    static let debtHalving = 1.0
    /// The encoder's own buffer, within which it may run ahead of its rate: no debt.
    static let buffer = 0.5
    /// More debt than so many seconds is forgiven: it would hold up the picture long after.
    static let largestDebt = 4.0
    /// How many changes may lie within an encoder's delay.
    private static let longestHistory = 8
    /// However little room there is, so many frames a second stay.
    static let smallestRate = 1.0
    /// Bits double when the quantiser falls by six (ITU-T H.264, 8.5.9).
    private static let qpPerOctave = EncoderGovernor.qpPerOctave

    package init() {}

    /// By how many powers of two the rate is too low for all frames.
    package var shortage: Double { -octaves(share) }

    /// Whether a frame is encoded.
    ///
    /// - Parameter mustStay: whether something is told of this frame, so that it cannot be left out.
    package mutating func keeps(_ frame: Frame, mustStay: Bool) -> Bool {
        if let last {
            if frame.time > last.time { step = frame.time - last.time }
            // What came out so far was so much cheaper or dearer than what comes.
            bitsAtCeiling.scale(by: Self.ratio(of: frame, to: last))
        }
        if last?.ceiling != frame.ceiling || last?.complexity != frame.complexity {
            history.append(frame)
            if history.count > Self.longestHistory { history.removeFirst() }
        }
        last = frame
        share = roomyShare
        owed += share
        guard mustStay || owed >= 1 else { return false }
        owed = max(owed - 1, -1)
        waiting += 1
        return true
    }

    /// Takes what the encoder says of a finished frame.
    package mutating func observe(_ frame: EncodedFrame) {
        guard let last, let then = history.last(where: { $0.time <= frame.time }) ?? history.first else { return }
        waiting = max(waiting - 1, 0)
        let coarser = (frame.qp ?? then.ceiling) - then.ceiling
        let forced = Double(frame.bits) * power(coarser / Self.qpPerOctave)
        // Key frames are too rare to say what the next frames need; they count as debt.
        if !frame.isKeyFrame { bitsAtCeiling.add(forced * Self.ratio(of: last, to: then)) }
        let passed = max(frame.time - (lastFinished ?? frame.time), 0)
        lastFinished = max(frame.time, lastFinished ?? frame.time)
        debt = min(max(debt + forced / Double(last.bitRate) - passed, -Self.buffer), Self.largestDebt)
    }

    /// How many times the bits of one frame another takes, each as coarse as it may be.
    private static func ratio(of frame: Frame, to other: Frame) -> Double {
        frame.complexity / other.complexity * power((other.ceiling - frame.ceiling) / qpPerOctave)
    }

    /// The share of frames for which the rate has room at the ceiling.
    private var roomyShare: Double {
        guard let bits = bitsAtCeiling.value, bitsAtCeiling.weight > Self.memory / 2, let last else { return 1 }
        let rate = Double(last.bitRate)
        let room = rate * step / bits
        // What the frames inside will take, and the time that they have for it.
        let expected = debt + Double(waiting) * bits / rate - (last.time - (lastFinished ?? last.time))
        let correction = power(-min(max(expected, -Self.buffer), Self.largestDebt) / Self.debtHalving)
        return min(max(room * correction, Self.smallestRate * step), 1)
    }
}

/// The mean of recent values; older ones are forgotten exponentially.
struct ForgettingMean: Sendable {
    private let kept: Double
    private var sum = 0.0
    private(set) var weight = 0.0

    /// - Parameter memory: after so many values one counts 1/e.
    init(memory: Double) { kept = 1 - 1 / max(memory, 1) }

    /// `nil` before the first value.
    var value: Double? { weight > 0 ? sum / weight : nil }

    mutating func add(_ value: Double) {
        sum = sum * kept + value
        weight = weight * kept + 1
    }

    mutating func scale(by factor: Double) { sum *= factor }
}

/// Makes up for an encoder that takes all frames to last alike: where fewer come than it expects,
/// it would spend less than its rate. A state machine without clock, lock or I/O.
///
/// So does x264 with `zerolatency`, which clears its variable frame rate; setting that again would
/// hold each frame back until the next one.
package struct PaceCorrection: Sendable {
    /// By what the rate is to be multiplied, 1…``largest``.
    package private(set) var factor = 1.0

    /// The time between two frames that the encoder expects, in seconds.
    private let expected: Double
    private var recent = ForgettingMean(memory: 4)
    private var lastTime: Double?

    /// A longer time between frames is a gap of the input, not a pace.
    static let largest = 8.0
    /// Smaller changes are noise of the time stamps.
    static let tolerance = 1.2

    /// - Parameter frameRate: that the encoder expects, in frames a second, above 0.
    package init(frameRate: Double) {
        precondition(frameRate > 0)
        expected = 1 / frameRate
    }

    /// Goes on to the next frame that is encoded.
    ///
    /// - Returns: whether ``factor`` changed.
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
