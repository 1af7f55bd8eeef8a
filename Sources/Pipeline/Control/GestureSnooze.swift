/// A period in which gestures are ignored at the user's request.
///
/// The snooze is measured in the video's time, so the output depends only on the input and the requests. In live video
/// this equals real time.
package struct GestureSnooze: Sendable, Hashable {
    /// The maximum duration, in seconds.
    package static let longest = 86_400.0

    /// The total duration, in seconds.
    package let duration: Double
    /// The time stamps of the snooze's first frame (`nil` before it) and newest frame, in seconds.
    private var start: Double?
    private var now = 0.0

    package init(duration: Double) { self.duration = duration }

    /// The remaining seconds.
    package var left: Double { max(duration - (start.map { now - $0 } ?? 0), 0) }

    /// Records the time of the next frame.
    ///
    /// - Returns: whether gestures are still ignored at this time. `false` if the time is before the beginning of the
    ///   snooze.
    mutating func goesOn(at time: Double) -> Bool {
        let start = start ?? time
        (self.start, now) = (start, time)
        return time >= start && left > 0
    }
}
