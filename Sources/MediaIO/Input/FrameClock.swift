internal import CFFmpeg
internal import Raster

/// Assigns a time to each decoded frame: the file's own if possible.
///
/// Times are never resampled. A frame without a time follows the previous frame after that frame's duration. Containers
/// cannot store a frame whose time is not after the previous frame's. Such a frame is moved to one tick after it.
struct FrameClock {
    let timeBase: TimeBase
    /// The usual ticks between frames; at least 1.
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

    /// Treats the next frame as the first one.
    mutating func forget() { last = nil }

    /// The presentation time of the next frame if that frame has no time.
    var next: MediaTime {
        MediaTime(value: last.map { $0.value &+ $0.step } ?? first, timeBase: timeBase)
    }

    /// Returns the time of a frame.
    ///
    /// - Parameters:
    ///   - bestEffort: FFmpeg's time of the frame in ticks, or "no time".
    ///   - duration: Its duration in ticks, 0 if unknown.
    mutating func time(bestEffort: Int64, duration: Int64) -> MediaTime {
        var value = bestEffort == cffmpeg_no_pts ? next.value : bestEffort
        if let last, value <= last.value { value = last.value &+ 1 }
        last = (value, duration > 0 ? duration : usualStep)
        return MediaTime(value: value, timeBase: timeBase)
    }
}
