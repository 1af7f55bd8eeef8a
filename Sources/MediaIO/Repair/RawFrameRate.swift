internal import CFFmpeg

/// Detects raw H.264, HEVC and other bit streams that state no frame rate. They have no time stamps, so FFmpeg assumes
/// 25 frames a second.
final class RawFrameRate: PacketFilter {
    private static let formats: Set<String> = [
        "h264", "hevc", "vvc", "m4v", "mpegvideo", "mjpeg", "h263", "h261", "vc1",
    ]

    /// The warning about an assumed rate, once the first packet was read; nil if the stream states a rate.
    private(set) var assumption: String?
    private let warning: String
    private var isKnown = false

    /// - Parameters:
    ///   - path: The input, for the warning.
    ///   - format: FFmpeg's name of the format.
    ///   - assumed: The assumed rate.
    /// - Returns: nil if the format states times.
    init?(_ path: String, format: String, assumed: Rational) {
        guard Self.formats.contains(format) else { return nil }
        warning =
            "\(path): states no frame rate; \(Demuxer.text(assumed.value)) frames a second are assumed (set --framerate)"
    }

    func add(_ packet: consuming Packet, of input: InputContext) -> Packet? {
        if isKnown { return packet }
        isKnown = true
        let codec = input.stream(packet.streamIndex).parameters.codec_id
        if !Self.isStated(in: packet, codec: codec) { assumption = warning }
        return packet
    }

    /// Returns whether the first packet of a stream states the frame rate.
    ///
    /// `av_parser_parse2`, which sets the rate in the codec's context
    private static func isStated(in packet: borrowing Packet, codec: AVCodecID) -> Bool {
        guard let parser = unsafe cffmpeg_parser(codec) else { return true }
        defer { unsafe av_parser_close(parser) }
        guard let context = try? CodecContext(nil) else { return true }
        context.codec_id = codec
        unsafe parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
        let no = cffmpeg_no_pts
        var output: UnsafeMutablePointer<UInt8>? = nil
        var size: Int32 = 0
        unsafe av_parser_parse2(
            parser, context.pointer, &output, &size, packet.av.data, packet.av.size, no, no, 0)
        return context.framerate.num > 0
    }
}
