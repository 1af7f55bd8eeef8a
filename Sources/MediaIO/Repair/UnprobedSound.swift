internal import CFFmpeg

/// Announced sound whose first packet comes after the first pictures, as in transport streams of broadcasts.
///
/// Streams are probed only briefly, so that the first picture is output soon. In that time, FFmpeg does not learn the
/// parameters of a stream without packets, which most outputs need for their headers. FFmpeg then assigns a time only to
/// the first packet of each PES packet of such sound.
final class UnprobedSound: PacketFilter {
    /// The maximum duration that is read to find sound, in seconds: FFmpeg's default for probing.
    static let longestWait = 5.0
    /// The maximum number of bytes that are read and queued while waiting for sound.
    private static let maximumBytes = 50_000_000

    /// The clocks of the sound, by stream index.
    private let clocks: [Int: SoundClock]

    /// - Returns: nil if the parameters of all sound streams are known, as in most files.
    init?(_ input: InputContext) {
        var clocks: [Int: SoundClock] = [:]
        for (index, stream) in input.streams.enumerated() where Self.isUnknown(stream.parameters) {
            clocks[index] = SoundClock(parser: SoundParser(stream.parameters, input))
        }
        if clocks.isEmpty { return nil }
        self.clocks = clocks
    }

    /// Returns whether the parameters of an announced sound stream are unknown, for lack of packets.
    static func isUnknown(_ parameters: StreamParameters) -> Bool {
        parameters.codec_type == AVMEDIA_TYPE_AUDIO && parameters.sample_rate == 0
    }

    static func isExpected(in input: InputContext) -> Bool { input.streams.contains { isUnknown($0.parameters) } }

    /// Reads until packets have revealed the parameters of all announced sound streams, or a limit is reached.
    ///
    /// - Returns: The packets that were read, in order.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    func awaitParameters(in input: InputContext, _ watch: IOWatch) throws(MediaError) -> [QueuedPacket] {
        var packets: [QueuedPacket] = []
        var first: Double?
        var bytes = 0
        while Self.isExpected(in: input), bytes < Self.maximumBytes {
            let handle = try PacketHandle()
            watch.begin()
            // Later reads reach the end or the error again, and report it.
            guard input.read(handle) >= 0 else { break }
            let packet = Packet(handle)
            bytes += packet.size
            describe(packet, of: input)
            let time = packet.decodingTime?.seconds
            packets.append(QueuedPacket(packet))
            first = first ?? time
            if let time, let first, time - first > Self.longestWait { break }
        }
        return packets
    }

    func add(_ packet: consuming Packet, of input: InputContext) -> Packet? {
        describe(packet, of: input)
        return packet
    }

    private func describe(_ packet: borrowing Packet, of input: InputContext) {
        clocks[packet.streamIndex]?.add(packet, input.stream(packet.streamIndex).parameters)
    }
}

/// Computes the times of a sound stream whose parameters FFmpeg did not know when it opened the stream.
private final class SoundClock {
    private let parser: SoundParser?
    /// The last time of a packet, in ticks, and the number of samples since then.
    private var base: Int64?
    private var samples: Int64 = 0

    init(parser: SoundParser?) { self.parser = parser }

    /// Fills in the times of a packet without times.
    ///
    /// - Parameter parameters: The stream's parameters, which are filled in when a packet reveals them.
    func add(_ packet: borrowing Packet, _ parameters: StreamParameters) {
        if parameters.sample_rate == 0 { _ = parser?.learn(from: packet, parameters) }
        let rate = parameters.sample_rate, size = Int64(parameters.frame_size)
        guard rate > 0, size > 0, packet.timeBase.isPositive else { return }
        let scale = AVRational(num: 1, den: rate), ticks = packet.av.time_base
        if packet.av.pts != cffmpeg_no_pts {
            (base, samples) = (packet.av.pts, 0)
        } else if let base {
            packet.av.pts = base &+ av_rescale_q(samples, scale, ticks)
        }
        if packet.av.dts == cffmpeg_no_pts { packet.av.dts = packet.av.pts }
        if packet.av.duration == 0 { packet.av.duration = av_rescale_q(size, scale, ticks) }
        samples += size
    }
}

/// Decodes the beginning of a sound stream to determine its parameters.
final class SoundParser {
    private let context: CodecContext

    /// - Returns: nil if there is no decoder that the input's context allows.
    init?(_ parameters: StreamParameters, _ input: InputContext) {
        guard let codec = DecoderList.decoder(for: parameters.codec_id, in: input),
            let fresh = try? CodecContext(codec),
            // The decoder gets no parameters of the stream, since these may be assumed ones.
            fresh.open() >= 0
        else { return nil }
        context = fresh
    }

    /// Fills in the parameters when a packet reveals them.
    ///
    /// - Returns: Whether they are known.
    func learn(from packet: borrowing Packet, _ parameters: StreamParameters) -> Bool {
        guard let frame = try? FrameHandle(), context.send(packet.av) >= 0, context.receive(frame) == .done else {
            return false
        }
        let (tag, delay) = (parameters.codec_tag, parameters.initial_padding)
        guard unsafe context.copyParameters(to: parameters.pointer) >= 0 else { return false }
        (parameters.codec_tag, parameters.initial_padding) = (tag, delay)
        return parameters.sample_rate > 0
    }
}
