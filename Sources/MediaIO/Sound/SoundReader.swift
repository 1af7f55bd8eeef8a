internal import CFFmpeg

/// Decodes the first sound of an input, from packets that its caller reads.
///
/// Damaged sound is skipped. Used by one thread at a time.
///
/// `AVCodecContext`
final class SoundReader {
    /// The stream's index in its file.
    let streamIndex: Int

    private let decoder: CodecContext
    private let frame: FrameHandle
    private let timeBase: TimeBase
    /// The start, in seconds, of the next frame if that frame has no time stamp.
    private var next = 0.0

    /// A frame of decoded sound.
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
            let codec = DecoderList.decoder(
                for: demuxer.input.stream(stream.index).parameters.codec_id, in: demuxer.input),
            let decoder = try? CodecContext(codec), let frame = try? FrameHandle()
        else { return nil }
        let source = demuxer.input.stream(stream.index)
        let copied = unsafe decoder.setParameters(source.parameters.pointer)
        decoder.pkt_timebase = source.time_base
        decoder.thread_count = 1
        if copied < 0 || decoder.open() < 0 { return nil }
        streamIndex = stream.index
        timeBase = stream.timeBase
        self.decoder = decoder
        self.frame = frame
    }

    /// Decodes a packet, and passes on the frames that it completes; packets of other streams are ignored.
    ///
    /// `avcodec_send_packet`
    func add(_ packet: borrowing Packet, _ body: (Frame) -> Void) {
        guard packet.streamIndex == streamIndex else { return }
        _ = decoder.send(packet.av)
        drain(body)
    }

    /// Passes on the remaining frames of the decoder.
    func finish(_ body: (Frame) -> Void) {
        _ = decoder.sendEnd()
        drain(body)
    }

    private func drain(_ body: (Frame) -> Void) {
        while decoder.receive(frame) == .done {
            let rate = Double(frame.sample_rate), samples = unsafe SampleAccess(frame)
            guard samples.count > 0, rate > 0 else { continue }
            let time = frame.best_effort_timestamp
            let start = time == cffmpeg_no_pts ? next : MediaTime(value: time, timeBase: timeBase).seconds
            next = start + Double(samples.count) / rate
            body(Frame(samples: samples, start: start, rate: rate))
        }
    }
}
