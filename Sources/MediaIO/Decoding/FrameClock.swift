internal import CFFmpeg

/// Gives each decoded frame its time: the file's own wherever that can be.
///
/// Times are never resampled. A frame without a time follows the frame before
/// it by that one's duration; one that would not come after the frame before it
/// (which no container can hold) is moved to one tick after it.
struct FrameClock {
    let timeBase: TimeBase
    /// Ticks between frames where nothing better is known; at least 1.
    private let usualStep: Int64
    /// The time of a first frame without a time, in ticks.
    private let first: Int64
    private var last: (value: Int64, step: Int64)?

    /// - Parameter first: The time of a first frame without a time.
    init(timeBase: TimeBase, frameRate: Rational, first: MediaTime = .zero) {
        self.timeBase = timeBase
        self.first = first.rescaled(to: timeBase).value
        let step =
            frameRate.isPositive
            ? av_rescale_q(1, frameRate.inverse.avRational, timeBase.avRational) : 1
        usualStep = max(1, step)
    }

    /// Takes the next frame as the first one.
    mutating func forget() { last = nil }

    /// When a frame without a time would be shown.
    var next: MediaTime {
        MediaTime(value: last.map { $0.value &+ $0.step } ?? first, timeBase: timeBase)
    }

    /// - Parameters:
    ///   - bestEffort: FFmpeg's time for the frame in ticks, or "no time".
    ///   - duration: Its duration in ticks, 0 if unknown.
    mutating func time(bestEffort: Int64, duration: Int64) -> MediaTime {
        var value = bestEffort == cffmpeg_no_pts ? next.value : bestEffort
        if let last, value <= last.value { value = last.value &+ 1 }
        last = (value, duration > 0 ? duration : usualStep)
        return MediaTime(value: value, timeBase: timeBase)
    }
}
