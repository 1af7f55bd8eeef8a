internal import CFFmpeg

/// Sound that is announced by a stream and comes a little later than its pictures.
///
/// Streams are opened in haste, so that the first picture comes out soon. What FFmpeg has not met by then it
/// does not know, and sound of which nothing is known can be copied into no container.
extension Demuxer {
    /// How far such a stream is read on, in seconds: FFmpeg's own default where nobody is in haste.
    private static let longestWait = 5.0
    /// At most so many bytes are read, and kept until they are asked for.
    private static let mostBytes = 50_000_000

    /// Reads on until something of each announced sound has come, and learns from it what it is.
    ///
    /// - Returns: what was read, in order.
    @unsafe
    static func awaitSound(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ watch: IOWatch
    ) throws(MediaError) -> [QueuedPacket] {
        var packets: [QueuedPacket] = []
        var students: [Int: SoundStudent] = [:]
        var first: Double?
        var bytes = 0
        while unsafe hasUnknownSound(context), bytes < mostBytes {
            guard let packet = unsafe av_packet_alloc() else { throw .outOfMemory("") }
            let owned = unsafe Packet(owned: packet)
            watch.begin()
            // The end, or what went wrong, is met again by whoever reads on.
            guard unsafe av_read_frame(context, packet) >= 0 else { break }
            let stream = unsafe context.pointee.streams[Int(packet.pointee.stream_index)]!
            unsafe packet.pointee.time_base = stream.pointee.time_base
            bytes += owned.size
            if unsafe isUnknownSound(stream) {
                let student = unsafe students[owned.streamIndex] ?? SoundStudent(stream.pointee.codecpar)
                students[owned.streamIndex] = student
                unsafe student?.learn(from: packet, stream.pointee.codecpar)
            }
            let time = owned.decodingTime?.seconds
            packets.append(QueuedPacket(owned))
            first = first ?? time
            if let time, let first, time - first > longestWait { break }
        }
        return packets
    }

    /// Whether a stream of sound was announced, but none of it met so far: nothing could be
    /// written of it, not even as a copy.
    @unsafe
    static func hasUnknownSound(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        (0..<Int(unsafe context.pointee.nb_streams)).contains { unsafe isUnknownSound(context.pointee.streams[$0]!) }
    }

    @unsafe
    private static func isUnknownSound(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        let parameters = unsafe stream.pointee.codecpar!
        return unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO && parameters.pointee.sample_rate == 0
    }
}

/// Decodes the beginning of a stream of sound to learn its parameters.
@safe
private final class SoundStudent {
    private let context: UnsafeMutablePointer<AVCodecContext>

    /// Nil where there is no decoder for it.
    @unsafe
    init?(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        guard let codec = unsafe avcodec_find_decoder(parameters.pointee.codec_id),
            let fresh = unsafe avcodec_alloc_context3(codec)
        else { return nil }
        unsafe context = unsafe fresh
        guard unsafe avcodec_parameters_to_context(context, parameters) >= 0,
            unsafe avcodec_open2(context, codec, nil) >= 0
        else { return nil }
    }

    deinit {
        var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&closing)
    }

    /// Fills the parameters in as soon as a packet tells them.
    @unsafe
    func learn(from packet: UnsafeMutablePointer<AVPacket>, _ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe av_frame_alloc()
        defer { unsafe av_frame_free(&frame) }
        guard unsafe frame != nil, unsafe avcodec_send_packet(context, packet) >= 0,
            unsafe avcodec_receive_frame(context, frame) >= 0
        else { return }
        unsafe avcodec_parameters_from_context(parameters, context)
    }
}
