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
