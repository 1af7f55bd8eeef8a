internal import CFFmpeg

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

extension InputSettings {
    /// What cannot be meant by the words that describe raw pictures or a camera's; nil where all can.
    ///
    /// `av_parse_video_size`, `av_get_pix_fmt`, `av_parse_video_rate`
    package static func fault(videoSize: String?, pixelFormat: String?, frameRate: String?) -> String? {
        var width: Int32 = 0, height: Int32 = 0
        if let videoSize, unsafe av_parse_video_size(&width, &height, videoSize) < 0 {
            return "the video size must be one such as 1280x720, not \(videoSize)"
        }
        // Cameras may also be asked for a codec, such as mjpeg.
        if let pixelFormat, unsafe av_get_pix_fmt(pixelFormat) == AV_PIX_FMT_NONE,
            unsafe avcodec_find_decoder_by_name(pixelFormat) == nil
        {
            return "there is no input pixel format \(pixelFormat); one is yuv420p"
        }
        var rate = AVRational()
        if let frameRate, unsafe av_parse_video_rate(&rate, frameRate) < 0 {
            return "the frame rate must be one such as 30 or 30000/1001, not \(frameRate)"
        }
        return nil
    }

    /// The reason why no file is read with these settings; nil if there is none.
    package var fileFault: String? {
        let name = formatName
        if !pictureOptions.isEmpty, name != "rawvideo" {
            return
                "a size, pixel format or frame rate of the input is for raw video and cameras; other inputs say their own"
        }
        guard let name else { return nil }
        if name == "rawvideo", videoSize == nil { return "raw video does not say its size; give it, such as 1280x720" }
        if unsafe av_find_input_format(name) == nil {
            return "this machine's FFmpeg reads no format \(name); try nut, matroska, mpegts, yuv4mpegpipe or rawvideo"
        }
        return nil
    }
}
