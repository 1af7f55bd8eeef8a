internal import CFFmpeg

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
