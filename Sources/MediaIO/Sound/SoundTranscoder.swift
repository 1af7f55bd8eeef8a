internal import CFFmpeg

/// Decodes packets of a sound stream, mixes sounds into them, and encodes them again in the same way.
///
/// Used by one thread at a time.
final class SoundTranscoder {
    private let decoder: CodecContext
    private let encoder: CodecContext
    private let frame: FrameHandle
    private let coding: SoundCoding
    /// The samples of each channel that wait for a block of the encoder.
    private var waiting: [[Float]]
    private var sent: Int64 = 0

    /// The number of samples in a block; 0 if blocks have any length.
    let blockLength: Int

    /// - Parameters:
    ///   - blockLength: The number of samples in a packet.
    ///   - bitRate: The bit rate of the encoder; not used for PCM.
    /// - Throws: ``SoundUnavailable`` if the codecs are missing, or the encoder would write another variant.
    @unsafe
    init(
        _ parameters: UnsafePointer<AVCodecParameters>, coding: SoundCoding, blockLength: Int, bitRate: Int,
        header: AACBlock.ADTS?
    ) throws(SoundUnavailable) {
        let missing = SoundUnavailable(message: "the installed FFmpeg cannot decode or encode it")
        let id = unsafe parameters.pointee.codec_id
        let preferred = coding == .opus ? "libopus" : nil
        guard let reading = DecoderList.decoder(for: id, preferring: preferred),
            let writing = preferred.flatMap(Codec.encoder(named:)) ?? Codec.encoder(for: id),
            let decoder = try? CodecContext(reading), let encoder = try? CodecContext(writing),
            let frame = try? FrameHandle()
        else { throw missing }
        let status = unsafe decoder.setParameters(parameters)
        decoder.thread_count = 1
        decoder.request_sample_fmt = AV_SAMPLE_FMT_FLT
        decoder.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
        guard status >= 0, decoder.open() >= 0 else { throw missing }

        let rate = unsafe parameters.pointee.sample_rate
        encoder.sample_rate = rate
        encoder.time_base = AVRational(num: 1, den: rate)
        encoder.thread_count = 1
        encoder.flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_GLOBAL_HEADER
        if unsafe parameters.pointee.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
            unsafe encoder.setDefaultLayout(channels: parameters.pointee.ch_layout.nb_channels)
        } else {
            var layout = unsafe parameters.pointee.ch_layout
            unsafe av_channel_layout_copy(&encoder.pointer.pointee.ch_layout, &layout)
        }
        switch coding {
        case .pcm: encoder.sample_fmt = decoder.sample_fmt
        case .aac:
            encoder.sample_fmt = AV_SAMPLE_FMT_FLTP
            encoder.profile = 1
            encoder.bit_rate = Int64(bitRate)
        case .opus:
            encoder.sample_fmt = AV_SAMPLE_FMT_FLT
            encoder.bit_rate = Int64(bitRate)
            let milliseconds = Double(blockLength) * 1000 / Double(rate)
            encoder.setOption("frame_duration", "\(milliseconds)")
        }
        guard encoder.open() >= 0 else { throw missing }
        self.decoder = decoder
        self.encoder = encoder
        self.frame = frame
        self.coding = coding
        self.blockLength = coding == .pcm ? 0 : blockLength
        waiting = unsafe Array(repeating: [], count: Int(parameters.pointee.ch_layout.nb_channels))
        if let fault = unsafe fault(parameters, header) { throw SoundUnavailable(message: fault) }
    }

    /// The number of samples that the encoder adds before the first one.
    var padding: Int { Int(encoder.initial_padding) }

    /// Returns the reason why the encoder's packets do not belong into the stream; nil if they do.
    @unsafe
    private func fault(_ parameters: UnsafePointer<AVCodecParameters>, _ header: AACBlock.ADTS?) -> String? {
        if coding == .pcm { return nil }
        guard Int(encoder.frame_size) == blockLength else {
            return "its packets have an unusual length"
        }
        let ours = encoder.header
        let theirs = unsafe [UInt8](parameters.pointee.extradata, count: Int(parameters.pointee.extradata_size))
        switch coding {
        case .pcm: return nil
        case .aac:
            let configuration = header?.configuration ?? Array(theirs.prefix(2))
            let isSame = configuration.count == 2 && ours.prefix(2).elementsEqual(configuration)
            return isSame && configuration[1] >> 3 & 15 != 0 ? nil : "it is an unusual variant of AAC"
        case .opus:
            // The gain, and the numbers of streams and channels (RFC 7845, 5.1).
            guard theirs.count >= 19, ours.count >= 19 else { return nil }
            let isSame = theirs[9] == ours[9] && theirs[18...].elementsEqual(ours[18...])
            return isSame && theirs[16] == 0 && theirs[17] == 0 ? nil : "it is an unusual variant of Opus"
        }
    }
}

extension SoundTranscoder {
    /// An error while decoding or encoding.
    struct Failure: Error { let message: String }

    /// Decodes a packet and mixes sounds into its samples. The samples wait for ``encodePacket()`` or ``encodeBlocks(isLast:)``.
    ///
    /// - Parameters:
    ///   - position: The position of the packet's first sample.
    ///   - count: The number of its samples.
    func decode(
        _ packet: borrowing Packet, at position: Int64, count: Int, mixing sounds: [PlacedSound]
    ) throws(Failure) {
        guard let plain = try? packet.av.shared() else { throw Failure(message: "out of memory") }
        // The decoder must not drop what the player skips.
        plain.removeSideData()
        plain.flags = AV_PKT_FLAG_KEY
        guard decoder.send(plain) >= 0, decoder.receive(frame) == .done else { throw Failure(message: "it is damaged") }
        let channels = frame.channelCount
        guard Int(frame.nb_samples) == count, channels == waiting.count,
            unsafe av_frame_make_writable(frame.pointer) >= 0
        else { throw Failure(message: "the number of its channels or samples changes") }
        let samples = unsafe SampleAccess(frame)
        for channel in 0..<channels {
            SoundMix.add(
                sounds, at: position, count: count, gain: { gain(of: $0.sound, in: channel) },
                sample: { samples.load($0, channel) }, store: { samples.store($1, $0, channel) })
        }
        if coding == .pcm { return }
        for channel in 0..<channels {
            waiting[channel] += (0..<count).map { samples.load($0, channel) }
        }
    }

    /// Returns the factor of a sound in a channel: sounds are in the front channels, toward their side.
    private func gain(of sound: MixedSound, in channel: Int) -> Float {
        let count = waiting.count
        if count == 1 { return 1 }
        let place = unsafe av_channel_layout_channel_from_index(&encoder.pointer.pointee.ch_layout, UInt32(channel))
        let isLeft = place == AV_CHAN_FRONT_LEFT || place.rawValue < 0 && channel == 0
        let isRight = place == AV_CHAN_FRONT_RIGHT || place.rawValue < 0 && channel == 1
        if isLeft { return min(1, 1 - sound.balance) }
        return isRight ? min(1, 1 + sound.balance) : 0
    }

    /// Encodes the decoded packet as one packet.
    func encodePacket() throws(Failure) -> [UInt8] {
        frame.pts = sent
        sent += Int64(frame.nb_samples)
        let packets = try packets(after: encoder.send(frame))
        guard packets.count == 1 else { throw Failure(message: "its packets cannot be written again") }
        return packets[0]
    }

    /// Encodes the blocks that are complete.
    ///
    /// - Parameter isLast: Whether no more samples follow; the rest is filled with silence.
    func encodeBlocks(isLast: Bool = false) throws(Failure) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        while waiting[0].count >= blockLength { packets += try encodeBlock() }
        if isLast {
            if let rest = waiting.first?.count, rest > 0 {
                for channel in waiting.indices { waiting[channel] += [Float](repeating: 0, count: blockLength - rest) }
                packets += try encodeBlock()
            }
            packets += try self.packets(after: encoder.sendEnd())
        }
        return packets
    }

    /// Drops the first samples that wait.
    func drop(_ count: Int) { for channel in waiting.indices { waiting[channel].removeFirst(count) } }

    /// Drops all samples that wait.
    func dropAll() { for channel in waiting.indices { waiting[channel] = [] } }

    /// Encodes the first block that waits.
    private func encodeBlock() throws(Failure) -> [[UInt8]] {
        guard let block = try? FrameHandle.sound(for: encoder, count: blockLength) else {
            throw Failure(message: "out of memory")
        }
        let samples = unsafe SampleAccess(block)
        for channel in waiting.indices {
            for index in 0..<blockLength { samples.store(waiting[channel][index], index, channel) }
            waiting[channel].removeFirst(blockLength)
        }
        block.pts = sent
        sent += Int64(blockLength)
        return try packets(after: encoder.send(block))
    }

    /// Returns the packets of the encoder that are ready.
    ///
    /// - Parameter status: FFmpeg's code from sending a frame, or the end.
    private func packets(after status: Int32) throws(Failure) -> [[UInt8]] {
        guard status >= 0 else { throw Failure(message: "the encoder failed") }
        guard let packet = try? PacketHandle() else { throw Failure(message: "out of memory") }
        var packets: [[UInt8]] = []
        while encoder.receive(packet) == .done { packets.append(packet.bytes) }
        return packets
    }
}
