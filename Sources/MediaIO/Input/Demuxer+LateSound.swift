internal import CFFmpeg

/// Announced sound whose first packet comes after the first pictures.
///
/// Streams are probed only briefly, so that the first picture is output soon. In that time, FFmpeg does not learn the
/// parameters of a stream without packets. Most outputs need these parameters for their headers.
extension Demuxer {
    /// The maximum duration that is read to find sound, in seconds: FFmpeg's default for probing.
    static let longestWait = 5.0
    /// The maximum number of bytes that are read and queued while waiting for sound.
    private static let maximumBytes = 50_000_000

    /// Reads until packets have revealed the parameters of all announced sound streams, or a limit is reached.
    ///
    /// - Parameter clocks: The clocks of sound with unknown parameters, by stream index.
    /// - Returns: The packets that were read, in order.
    @unsafe
    static func awaitSound(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ clocks: [Int: SoundClock], _ watch: IOWatch
    ) throws(MediaError) -> [QueuedPacket] {
        var packets: [QueuedPacket] = []
        var first: Double?
        var bytes = 0
        while unsafe hasUnknownSound(context), bytes < maximumBytes {
            let packet = try PacketHandle()
            watch.begin()
            // Later reads reach the end or the error again, and report it.
            guard unsafe av_read_frame(context, packet.pointer) >= 0 else { break }
            let stream = unsafe context.pointee.streams[Int(packet.stream_index)]!
            packet.time_base = unsafe stream.pointee.time_base
            let owned = Packet(packet)
            bytes += owned.size
            clocks[owned.streamIndex]?.add(owned)
            let time = owned.decodingTime?.seconds
            packets.append(QueuedPacket(owned))
            first = first ?? time
            if let time, let first, time - first > longestWait { break }
        }
        return packets
    }

    /// Returns clocks for the sound with unknown parameters, by stream index.
    @unsafe
    static func soundClocks(_ context: UnsafeMutablePointer<AVFormatContext>) -> [Int: SoundClock] {
        var clocks: [Int: SoundClock] = [:]
        for index in 0..<Int(unsafe context.pointee.nb_streams) {
            let stream = unsafe context.pointee.streams[index]!
            if unsafe isUnknownSound(stream) { clocks[index] = unsafe SoundClock(stream.pointee.codecpar, context) }
        }
        return clocks
    }

    /// Returns whether the parameters of an announced sound stream are unknown, for lack of packets.
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

/// Decodes the beginning of a sound stream to determine its parameters.
final class SoundParser {
    private let context: CodecContext

    /// - Returns: nil if there is no decoder that the input's context allows.
    @unsafe
    init?(_ parameters: UnsafeMutablePointer<AVCodecParameters>, _ input: UnsafePointer<AVFormatContext>) {
        guard let codec = unsafe DecoderList.decoder(for: parameters.pointee.codec_id, in: input),
            let fresh = try? CodecContext(codec),
            // The decoder gets no parameters of the stream, since these may be assumed ones.
            fresh.open() >= 0
        else { return nil }
        context = fresh
    }

    /// Fills in the parameters when a packet reveals them.
    ///
    /// - Returns: Whether they are known.
    @unsafe @discardableResult
    func learn(
        from packet: UnsafeMutablePointer<AVPacket>, _ parameters: UnsafeMutablePointer<AVCodecParameters>
    ) -> Bool {
        guard let frame = try? FrameHandle(), unsafe avcodec_send_packet(context.pointer, packet) >= 0,
            context.receive(frame) == .done
        else { return false }
        let (tag, delay) = unsafe (parameters.pointee.codec_tag, parameters.pointee.initial_padding)
        guard unsafe context.copyParameters(to: parameters) >= 0 else { return false }
        unsafe (parameters.pointee.codec_tag, parameters.pointee.initial_padding) = (tag, delay)
        return unsafe parameters.pointee.sample_rate > 0
    }
}

/// Computes the times of a sound stream whose parameters FFmpeg did not know when it opened the stream. In this case,
/// FFmpeg assigns a time only to the first packet of each PES packet.
@safe
final class SoundClock {
    private let parser: SoundParser?
    private let parameters: UnsafeMutablePointer<AVCodecParameters>
    /// The last time of a packet, in ticks, and the number of samples since then.
    private var base: Int64?
    private var samples: Int64 = 0

    /// - Parameter parameters: The stream's parameters, which must outlive the clock and are filled in.
    @unsafe
    init(_ parameters: UnsafeMutablePointer<AVCodecParameters>, _ input: UnsafePointer<AVFormatContext>) {
        unsafe self.parameters = unsafe parameters
        parser = unsafe SoundParser(parameters, input)
    }

    /// Fills in the times of a packet without times.
    func add(_ packet: borrowing Packet) {
        let av = unsafe packet.av.pointer
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
