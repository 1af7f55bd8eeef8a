package import MediaIO

/// How an input is opened: what it does not say itself, or what you know better.
public struct InputOptions: Sendable, Hashable {
    /// Seconds, some thirty years: later than any time of a recording.
    package static let latestTime = 1e9

    /// FFmpeg's name of the container, such as `nut`, `matroska`, `mpegts`, `yuv4mpegpipe` or
    /// `rawvideo`; found by itself if `nil`.
    public var format: String?
    /// The picture's size as `1280x720`: raw video needs it, cameras may be asked for it.
    public var videoSize: String?
    /// FFmpeg's name of a pixel format, for raw video and cameras.
    public var pixelFormat: String?
    /// Frames a second as `30` or `30000/1001`, for raw video and cameras.
    public var frameRate: String?
    /// Inputs with larger pictures, in pixels, are refused. The default passes 8K and the photos of telephones; such pictures
    /// take some gigabytes.
    public var maxPixels = 1 << 26
    /// After so many seconds without data an input from the network counts as lost.
    public var timeout = 10.0
    /// After so many seconds without data from a pipe or the network the warning `inputStalled` is given.
    public var stallAfter = 5.0
    /// How often in a row to try to connect again to an input from the network that was lost.
    public var reconnects = 0

    /// Where to begin, in seconds from the recording's first frame. The output begins there at 0.
    public var start = 0.0
    /// Where to end, in seconds from the recording's first frame; with the recording if `nil`.
    public var end: Double?

    /// What is read of a recording; `nil` for all of it.
    package var stretch: RecordingStretch? {
        guard start > 0 || end != nil else { return nil }
        var stretch = RecordingStretch(start: start, end: end)
        stretch.opening = opening
        return stretch
    }
    /// See ``RecordingStretch/opening``: what a run finds out that needs the part to the packet.
    package var opening: MediaTime?

    /// Everything found by itself.
    public init() {}
}
