/// Keeps the time of the frames that come: where the video began, where it would end after the last one.
struct VideoClock {
    /// The first frame's time stamp in seconds.
    private(set) var firstTime: Double?
    private var lastTime: Double?
    /// Seconds from the frame before the last one to that.
    private(set) var lastStep = 0.0
    /// When the last frame ends, in seconds.
    private(set) var endTime = 0.0
    /// Frames that came.
    private(set) var frameCount = 0

    /// Seconds from the first frame to the end of the last one.
    var seconds: Double { firstTime.map { endTime - $0 } ?? 0 }

    /// - Parameter firstTime: where the video began, if not with the first frame that comes.
    init(firstTime: Double? = nil) { self.firstTime = firstTime }

    /// Goes on to a frame. One without duration is taken to last as long as the one before.
    mutating func follow(_ time: Double, duration: Double?) {
        if let lastTime { lastStep = max(time - lastTime, 0) } else { firstTime = firstTime ?? time }
        lastTime = time
        endTime = time + (duration ?? lastStep)
        frameCount += 1
    }
}
