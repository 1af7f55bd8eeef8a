/// A time in which gestures count for nothing, because somebody wants to be left alone.
///
/// It is the video's time, so that what a run shows follows from its input and what was asked for alone; of live video that
/// is the time that passes.
package struct GestureSnooze: Sendable, Hashable {
    /// The longest, in seconds.
    package static let longest = 86_400.0

    /// How long it is in all, in seconds.
    package let duration: Double
    /// The first frame's time stamp, once there was one, and the newest one's, in seconds.
    private var start: Double?
    private var now = 0.0

    package init(duration: Double) { self.duration = duration }

    /// Seconds that are left.
    package var left: Double { max(duration - (start.map { now - $0 } ?? 0), 0) }

    /// Takes the next frame.
    ///
    /// - Returns: whether gestures still count for nothing at it; also not where time leaps back to before it began.
    mutating func goesOn(at time: Double) -> Bool {
        let start = start ?? time
        (self.start, now) = (start, time)
        return time >= start && left > 0
    }
}
