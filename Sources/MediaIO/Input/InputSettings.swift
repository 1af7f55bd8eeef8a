internal import CFFmpeg
package import Platform

/// The settings with which an input is opened. They state properties that the input does not declare, or override
/// declared ones.
package struct InputSettings: Sendable {
    /// FFmpeg's name of the container, or a name in ``ContainerFormat``; detected if nil.
    package var format: String?
    /// The picture size of raw video and cameras, such as `1280x720`.
    package var videoSize: String?
    /// FFmpeg's name of the pixel format of raw video and cameras.
    package var pixelFormat: String?
    /// The frames a second of raw video and cameras, such as `30` or `30000/1001`.
    package var frameRate: String?
    /// True if frames are output as early as possible. Less is then probed before the first frame.
    package var isLowDelay = false
    /// The maximum number of pixels of a picture. Larger pictures are rejected before memory is allocated. The default
    /// allows 8K and photos of phones.
    package var maxPixels = 1 << 26
    /// The limit for coded pictures, which consist of whole blocks that extend beyond the shown picture.
    var maxCodedPixels: Int { 2 * maxPixels }
    /// The decoders that may be used.
    package var decoders = AllowedDecoders.recordings
    /// The number of seconds without data after which reading fails; nil for no limit.
    package var timeout: Double?

    /// The index of the video stream to read; the best one if nil.
    var videoStream: Int?

    /// The input's file, if it is open already. Its path is then not opened again.
    package var file: OpenFile?
    /// The trim range of a recording; all of it if nil.
    package var trim: TrimRange?

    /// The callback for inputs that provide no data.
    package var stall: StallWarning?

    package init() {}

    init(maxPixels: Int, decoders: AllowedDecoders = .recordings, videoStream: Int? = nil) {
        (self.maxPixels, self.decoders, self.videoStream) = (maxPixels, decoders, videoStream)
    }

    /// FFmpeg's name of the container. A name in ``ContainerFormat`` is translated. If it is nil, FFmpeg detects the
    /// container.
    var formatName: String? { format.map { ContainerFormat(name: $0)?.demuxerName ?? $0 } }

    /// The properties of raw pictures, as options of FFmpeg.
    var pictureOptions: [(String, String)] {
        [("video_size", videoSize), ("pixel_format", pixelFormat), ("framerate", frameRate)]
            .compactMap { key, value in value.map { (key, $0) } }
    }
}

extension InputSettings {
    /// Returns the fault in properties of raw pictures or cameras; nil if there is none.
    ///
    /// `av_parse_video_size`, `av_get_pix_fmt`, `avcodec_descriptor_get_by_name`, `av_parse_video_rate`
    package static func fault(videoSize: String?, pixelFormat: String?, frameRate: String?) -> String? {
        var width: Int32 = 0, height: Int32 = 0
        if let videoSize, unsafe av_parse_video_size(&width, &height, videoSize) < 0 {
            return "the video size must be one such as 1280x720, not \(videoSize)"
        }
        // Cameras also accept the name of a codec, such as mjpeg.
        if let pixelFormat, unsafe av_get_pix_fmt(pixelFormat) == AV_PIX_FMT_NONE,
            unsafe avcodec_descriptor_get_by_name(pixelFormat) == nil
        {
            return "unknown input pixel format \(pixelFormat); use one such as yuv420p"
        }
        var rate = AVRational()
        if let frameRate, unsafe av_parse_video_rate(&rate, frameRate) < 0 {
            return "the frame rate must be one such as 30 or 30000/1001, not \(frameRate)"
        }
        return nil
    }

    /// The reason why no folder of recordings can be read with these settings; nil if there is none. Recordings of one
    /// folder may have different formats, so a frame rate needs a format.
    package var folderFault: String? { frameRate != nil && format == nil ? Self.rawOnly : fileFault }

    static let rawOnly =
        "the size, pixel format and frame rate of the input apply to raw video and cameras only, a frame rate also to streams without a container; remove them"

    /// The reason why no file can be read with these settings; nil if there is none.
    package var fileFault: String? {
        let name = formatName
        // Whether the format has a frame rate of its own is known once the file is opened.
        if videoSize != nil || pixelFormat != nil, name != "rawvideo" { return Self.rawOnly }
        guard let name else { return nil }
        if name == "rawvideo", videoSize == nil { return "raw video requires a video size, such as 1280x720" }
        if unsafe av_find_input_format(name) == nil {
            return
                "the installed FFmpeg does not support the input format \(name); use one such as nut, matroska, mpegts, yuv4mpegpipe or rawvideo"
        }
        return nil
    }
}
