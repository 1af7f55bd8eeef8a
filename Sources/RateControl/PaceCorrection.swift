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
