internal import CFFmpeg

/// Sound that is announced by a stream and comes a little later than its pictures.
///
/// Streams are opened in haste, so that the first picture comes out soon. What FFmpeg has not met by then it
/// does not know, and most containers need its parameters in their headers.
extension Demuxer {
    /// How far such a stream is read on, in seconds: FFmpeg's own default where nobody is in haste.
    static let longestWait = 5.0
    /// At most so many bytes are read, and kept until they are asked for.
    private static let mostBytes = 50_000_000

    /// Reads on until something of each announced sound has come, and learns from it what it is.
    ///
    /// - Parameter clocks: those of the sound that is not known, by the streams' places.
    /// - Returns: what was read, in order.
    @unsafe
    static func awaitSound(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ clocks: [Int: SoundClock], _ watch: IOWatch
    ) throws(MediaError) -> [QueuedPacket] {
        var packets: [QueuedPacket] = []
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
            clocks[owned.streamIndex]?.add(owned)
            let time = owned.decodingTime?.seconds
            packets.append(QueuedPacket(owned))
            first = first ?? time
            if let time, let first, time - first > longestWait { break }
        }
        return packets
    }

    /// Clocks for the sound of which nothing is known yet, by the streams' places.
    @unsafe
    static func soundClocks(_ context: UnsafeMutablePointer<AVFormatContext>) -> [Int: SoundClock] {
        var clocks: [Int: SoundClock] = [:]
        for index in 0..<Int(unsafe context.pointee.nb_streams) {
            let stream = unsafe context.pointee.streams[index]!
            if unsafe isUnknownSound(stream) { clocks[index] = unsafe SoundClock(stream.pointee.codecpar) }
        }
        return clocks
    }

    /// Whether a stream of sound was announced, but none of it met so far.
    @unsafe
    static func hasUnknownSound(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        (0..<Int(unsafe context.pointee.nb_streams)).contains { unsafe isUnknownSound(context.pointee.streams[$0]!) }
    }

    @unsafe
    static func isUnknownSound(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        let parameters = unsafe stream.pointee.codecpar!
        return unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO && parameters.pointee.sample_rate == 0
    }
}

/// Decodes the beginning of a stream of sound to learn its parameters.
@safe
final class SoundParser {
    private let context: UnsafeMutablePointer<AVCodecContext>

    /// Nil where there is no decoder for it.
    @unsafe
    init?(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        guard let codec = unsafe avcodec_find_decoder(parameters.pointee.codec_id),
            let fresh = unsafe avcodec_alloc_context3(codec)
        else { return nil }
        unsafe context = unsafe fresh
        // What is assumed of it must not decide.
        guard unsafe avcodec_open2(context, codec, nil) >= 0 else { return nil }
    }

    deinit {
        var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&closing)
    }

    /// Fills in the parameters once a packet says what they are.
    ///
    /// - Returns: whether it does.
    @unsafe @discardableResult
    func learn(
        from packet: UnsafeMutablePointer<AVPacket>, _ parameters: UnsafeMutablePointer<AVCodecParameters>
    ) -> Bool {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe av_frame_alloc()
        defer { unsafe av_frame_free(&frame) }
        guard unsafe frame != nil, unsafe avcodec_send_packet(context, packet) >= 0,
            unsafe avcodec_receive_frame(context, frame) >= 0
        else { return false }
        let (tag, delay) = unsafe (parameters.pointee.codec_tag, parameters.pointee.initial_padding)
        guard unsafe avcodec_parameters_from_context(parameters, context) >= 0 else { return false }
        unsafe (parameters.pointee.codec_tag, parameters.pointee.initial_padding) = (tag, delay)
        return unsafe parameters.pointee.sample_rate > 0
    }
}

/// Times the packets of a stream of sound whose parameters FFmpeg did not know when it opened the stream: it gives a time
/// to the first packet of each bundle alone then.
@safe
final class SoundClock {
    private let parser: SoundParser?
    private let parameters: UnsafeMutablePointer<AVCodecParameters>
    /// The last time that a packet had, in ticks, and how many samples came since.
    private var base: Int64?
    private var samples: Int64 = 0

    /// - Parameter parameters: those of the stream, which must outlive the clock and are filled in.
    @unsafe
    init(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        unsafe self.parameters = unsafe parameters
        parser = unsafe SoundParser(parameters)
    }

    /// Fills in the times of a packet that has none.
    func add(_ packet: borrowing Packet) {
        let av = unsafe packet.av
        if unsafe parameters.pointee.sample_rate == 0 { unsafe _ = parser?.learn(from: av, parameters) }
        let (rate, size) = unsafe (parameters.pointee.sample_rate, Int64(parameters.pointee.frame_size))
        guard rate > 0, size > 0, packet.timeBase.isPositive else { return }
        let scale = AVRational(num: 1, den: rate)
        if unsafe av.pointee.pts != cffmpeg_no_pts {
            (base, samples) = unsafe (av.pointee.pts, 0)
        } else if let base {
            unsafe av.pointee.pts = base &+ av_rescale_q(samples, scale, av.pointee.time_base)
        }
        if unsafe av.pointee.dts == cffmpeg_no_pts { unsafe av.pointee.dts = av.pointee.pts }
        if unsafe av.pointee.duration == 0 {
            unsafe av.pointee.duration = av_rescale_q(size, scale, av.pointee.time_base)
        }
        samples += size
    }
}
