internal import CFFmpeg

/// Decodes the first sound of an input, from packets that its caller reads.
///
/// Damaged sound is skipped. Used by one thread at a time.
///
/// `AVCodecContext`
@safe
final class SoundReader {
    /// The stream's index in its file.
    let streamIndex: Int

    private let context: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private let timeBase: TimeBase
    /// The start, in seconds, of the next frame if that frame has no time stamp.
    private var next = 0.0

    /// A frame of decoded sound.
    @safe
    struct Frame {
        let samples: SampleAccess
        /// The time of the first sample on the input's clock, in seconds.
        let start: Double
        /// Samples a second.
        let rate: Double
    }

    /// Opens a decoder.
    ///
    /// - Returns: nil if there is no sound, or no decoder for it.
    init?(_ demuxer: Demuxer) {
        guard let stream = demuxer.streams.first(where: { $0.kind == .audio }),
            let source = unsafe demuxer.context.pointee.streams[stream.index],
            let codec = unsafe DecoderList.decoder(
                for: source.pointee.codecpar.pointee.codec_id, in: demuxer.context),
            let fresh = unsafe avcodec_alloc_context3(codec), let frame = unsafe av_frame_alloc()
        else { return nil }
        let copied = unsafe avcodec_parameters_to_context(fresh, source.pointee.codecpar)
        unsafe fresh.pointee.pkt_timebase = source.pointee.time_base
        unsafe fresh.pointee.thread_count = 1
        unsafe (context, self.frame) = unsafe (fresh, frame)
        streamIndex = stream.index
        timeBase = stream.timeBase
        if unsafe copied < 0 || avcodec_open2(fresh, codec, nil) < 0 { return nil }
    }

    deinit {
        var (closing, ending): (UnsafeMutablePointer<AVCodecContext>?, UnsafeMutablePointer<AVFrame>?) =
            unsafe (context, frame)
        unsafe avcodec_free_context(&closing)
        unsafe av_frame_free(&ending)
    }

    /// Decodes a packet, and passes on the frames that it completes; packets of other streams are ignored.
    ///
    /// `avcodec_send_packet`
    func add(_ packet: borrowing Packet, _ body: (Frame) -> Void) {
        guard packet.streamIndex == streamIndex else { return }
        _ = unsafe avcodec_send_packet(context, packet.av.pointer)
        drain(body)
    }

    /// Passes on the remaining frames of the decoder.
    func finish(_ body: (Frame) -> Void) {
        _ = unsafe avcodec_send_packet(context, nil)
        drain(body)
    }

    private func drain(_ body: (Frame) -> Void) {
        while unsafe avcodec_receive_frame(context, frame) >= 0 {
            let rate = unsafe Double(frame.pointee.sample_rate), samples = unsafe SampleAccess(frame)
            guard unsafe samples.count > 0, rate > 0 else { continue }
            let time = unsafe frame.pointee.best_effort_timestamp
            let start = time == cffmpeg_no_pts ? next : MediaTime(value: time, timeBase: timeBase).seconds
            next = unsafe start + Double(samples.count) / rate
            unsafe body(Frame(samples: samples, start: start, rate: rate))
        }
    }
}
