/// Chooses the frames that are kept while effects run at a lower frame rate: a state machine without clock, lock or
/// I/O.
///
/// Frames are dropped, never moved: each remaining one keeps its time stamp, so that sound stays in sync. The remaining
/// frames are as evenly spaced as the input's times allow, for any constant or variable frame rate. An input below
/// ``rate`` loses no frames.
package struct FramePacer: Sendable {
    /// The maximum number of frames a second while pacing.
    package let rate: Double
    /// The time of the first frame since pacing began, in seconds. Slots of 1 / rate are counted from this time.
    private var start: Double?
    private var lastSlot = 0.0

    /// The share of a slot by which a frame may be early, since containers may round times to milliseconds.
    private static let tolerance = 0.25

    /// - Parameter rate: Frames a second, above 0.
    package init(rate: Double) {
        precondition(rate > 0)
        self.rate = rate
    }

    /// Returns whether a frame is kept.
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
/// if frames are dropped. A state machine without clock, lock or I/O, used on the encoder's thread.
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

    /// The maximum factor. Longer times between frames are gaps in the input, which need no correction.
    static let largest = 8.0
    /// The factor by which the pace must change before ``factor`` follows. Smaller changes are noise of the time
    /// stamps.
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
