/// How far frames are shown from their times in a container that knows them by their numbers only.
struct FrameDisplacement: Sendable {
    private var first: Double?
    private var greatest = 0.0

    /// - Parameters:
    ///   - time: when the frame is to be shown, in seconds.
    ///   - shown: when it is. What all frames have in common is where the video begins.
    mutating func note(_ time: Double, shown: Double) {
        let difference = shown - time
        greatest = max(greatest, abs(difference - (first ?? difference)))
        first = first ?? difference
    }

    /// Seconds; nil where no frame is shown more than a quarter of a frame from its time, as by rounding.
    func seconds(ofFrames duration: Double) -> Double? { greatest > duration / 4 ? greatest : nil }
}

extension ContainerFormat {
    /// Whether it knows frames by their numbers only: AVI, where numbers can be left out, and Y4M, where they cannot.
    var countsFrames: Bool { self == .avi || self == .yuv4mpegpipe }
}
