internal import CFFmpeg

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
