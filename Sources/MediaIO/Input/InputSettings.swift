/// How an input is opened, where its own words do not say or somebody knows better.
package struct InputSettings: Sendable {
    /// FFmpeg's name of the container, or one of ``aliases``; found by itself if nil.
    package var format: String?
    /// Of raw video and cameras: `1280x720`.
    package var videoSize: String?
    /// Of raw video and cameras: FFmpeg's name of a pixel format.
    package var pixelFormat: String?
    /// Of raw video and cameras: frames a second, such as `30` or `30000/1001`.
    package var frameRate: String?
    /// Whether frames should come out as early as they can: less is read before the first one.
    package var isLowDelay = false
    /// Larger pictures are refused before there is memory for them. The default passes 8K and the photos of telephones.
    package var maxPixels = 1 << 26
    /// The same for pictures as they are coded: in whole blocks, of which the edges are not shown.
    var maxCodedPixels: Int { 2 * maxPixels }
    /// After so many seconds without data reading fails; never if nil.
    package var timeout: Double?

    /// What of a recording is read; all of it if nil.
    package var stretch: RecordingStretch?

    /// What is called when data is long in coming.
    package var stall: StallWarning?

    package init() {}

    /// Names that people use beside FFmpeg's.
    static let aliases = [
        "y4m": "yuv4mpegpipe", "raw": "rawvideo", "ts": "mpegts", "mkv": "matroska", "mp4": "mov", "webm": "matroska",
    ]

    /// FFmpeg's name of the container.
    var formatName: String? { format.map { Self.aliases[$0] ?? $0 } }

    /// What raw pictures look like, as options of FFmpeg.
    var pictureOptions: [(key: String, value: String)] {
        [("video_size", videoSize), ("pixel_format", pixelFormat), ("framerate", frameRate)]
            .compactMap { key, value in value.map { (key, $0) } }
    }
}
