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
