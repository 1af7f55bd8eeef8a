internal import CFFmpeg

/// The frame rate of raw H.264, HEVC and other bit streams. They have no time stamps, and FFmpeg assumes 25 frames a
/// second where the stream states no rate either.
enum RawFrameRate {
    private static let formats: Set<String> = [
        "h264", "hevc", "vvc", "m4v", "mpegvideo", "mjpeg", "h263", "h261", "vc1",
    ]

    static func isRaw(_ format: String) -> Bool { formats.contains(format) }

    /// Returns whether the first packet of a stream states the frame rate.
    ///
    /// `av_parser_parse2`, which sets the rate in the codec's context
    static func isStated(in packet: borrowing Packet, codec: AVCodecID) -> Bool {
        guard let parser = unsafe cffmpeg_parser(codec),
            let context = unsafe avcodec_alloc_context3(nil)
        else { return true }
        var freed: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        defer {
            unsafe av_parser_close(parser)
            unsafe avcodec_free_context(&freed)
        }
        unsafe context.pointee.codec_id = codec
        unsafe parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
        let no = cffmpeg_no_pts
        var output: UnsafeMutablePointer<UInt8>? = nil
        var size: Int32 = 0
        unsafe av_parser_parse2(
            parser, context, &output, &size, packet.av.data, packet.av.size, no, no, 0)
        return unsafe context.pointee.framerate.num > 0
    }
}
