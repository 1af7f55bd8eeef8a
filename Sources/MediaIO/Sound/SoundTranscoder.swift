internal import CFFmpeg

/// Decodes packets of a sound stream, mixes sounds into them, and encodes them again in the same way.
///
/// Used by one thread at a time.
@safe
final class SoundTranscoder {
    private let decoder: UnsafeMutablePointer<AVCodecContext>
    private let encoder: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
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
        guard
            let reading = unsafe DecoderList.decoder(for: id, preferring: preferred),
            let writing = unsafe preferred.flatMap({ unsafe avcodec_find_encoder_by_name($0) })
                ?? avcodec_find_encoder(id),
            let decoder = unsafe avcodec_alloc_context3(reading), let encoder = unsafe avcodec_alloc_context3(writing),
            let frame = unsafe av_frame_alloc()
        else { throw missing }
        unsafe (self.decoder, self.encoder, self.frame) = unsafe (decoder, encoder, frame)
        self.coding = coding
        self.blockLength = coding == .pcm ? 0 : blockLength
        waiting = unsafe Array(repeating: [], count: Int(parameters.pointee.ch_layout.nb_channels))

        var status = unsafe avcodec_parameters_to_context(decoder, parameters)
        unsafe decoder.pointee.thread_count = 1
        unsafe decoder.pointee.request_sample_fmt = AV_SAMPLE_FMT_FLT
        unsafe decoder.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
        if status >= 0 { status = unsafe avcodec_open2(decoder, reading, nil) }
        guard status >= 0 else { throw missing }

        let rate = unsafe parameters.pointee.sample_rate
        unsafe encoder.pointee.sample_rate = rate
        unsafe encoder.pointee.time_base = AVRational(num: 1, den: rate)
        unsafe encoder.pointee.thread_count = 1
        unsafe encoder.pointee.flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_GLOBAL_HEADER
        if unsafe parameters.pointee.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
            unsafe av_channel_layout_default(&encoder.pointee.ch_layout, parameters.pointee.ch_layout.nb_channels)
        } else {
            var layout = unsafe parameters.pointee.ch_layout
            unsafe av_channel_layout_copy(&encoder.pointee.ch_layout, &layout)
        }
        switch coding {
        case .pcm: unsafe encoder.pointee.sample_fmt = decoder.pointee.sample_fmt
        case .aac:
            unsafe encoder.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
            unsafe encoder.pointee.profile = 1
            unsafe encoder.pointee.bit_rate = Int64(bitRate)
        case .opus:
            unsafe encoder.pointee.sample_fmt = AV_SAMPLE_FMT_FLT
            unsafe encoder.pointee.bit_rate = Int64(bitRate)
            let milliseconds = Double(blockLength) * 1000 / Double(rate)
            unsafe av_opt_set(encoder.pointee.priv_data, "frame_duration", "\(milliseconds)", 0)
        }
        guard unsafe avcodec_open2(encoder, writing, nil) >= 0 else { throw missing }
        if let fault = unsafe fault(parameters, header) { throw SoundUnavailable(message: fault) }
    }

    deinit {
        var (reading, writing): (UnsafeMutablePointer<AVCodecContext>?, UnsafeMutablePointer<AVCodecContext>?) =
            unsafe (decoder, encoder)
        var ending: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe avcodec_free_context(&reading)
        unsafe avcodec_free_context(&writing)
        unsafe av_frame_free(&ending)
    }

    /// The number of samples that the encoder adds before the first one.
    var padding: Int { unsafe Int(encoder.pointee.initial_padding) }

    /// Returns the reason why the encoder's packets do not belong into the stream; nil if they do.
    @unsafe
    private func fault(_ parameters: UnsafePointer<AVCodecParameters>, _ header: AACBlock.ADTS?) -> String? {
        if coding == .pcm { return nil }
        guard unsafe Int(encoder.pointee.frame_size) == blockLength else {
            return "its packets have an unusual length"
        }
        let ours = unsafe Self.bytes(encoder.pointee.extradata, encoder.pointee.extradata_size)
        let theirs = unsafe Self.bytes(parameters.pointee.extradata, parameters.pointee.extradata_size)
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

    @unsafe
    private static func bytes(_ data: UnsafePointer<UInt8>?, _ count: Int32) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: data, count: data == nil ? 0 : Int(count)))
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
        guard let plain = unsafe av_packet_alloc() else { throw Failure(message: "out of memory") }
        defer {
            var closing: UnsafeMutablePointer<AVPacket>? = unsafe plain
            unsafe av_packet_free(&closing)
        }
        // The decoder must not drop what the player skips.
        guard unsafe av_packet_ref(plain, packet.av.pointer) >= 0 else { throw Failure(message: "out of memory") }
        unsafe av_packet_free_side_data(plain)
        unsafe plain.pointee.flags = AV_PKT_FLAG_KEY
        guard unsafe avcodec_send_packet(decoder, plain) >= 0, unsafe avcodec_receive_frame(decoder, frame) >= 0 else {
            throw Failure(message: "it is damaged")
        }
        let channels = unsafe Int(frame.pointee.ch_layout.nb_channels)
        guard unsafe Int(frame.pointee.nb_samples) == count, channels == waiting.count,
            unsafe av_frame_make_writable(frame) >= 0
        else { throw Failure(message: "the number of its channels or samples changes") }
        let samples = unsafe SampleAccess(frame)
        for channel in 0..<channels {
            SoundMix.add(
                sounds, at: position, count: count, gain: { gain(of: $0.sound, in: channel) },
                sample: { unsafe samples.load($0, channel) }, store: { unsafe samples.store($1, $0, channel) })
        }
        if coding == .pcm { return }
        for channel in 0..<channels {
            waiting[channel] += (0..<count).map { unsafe samples.load($0, channel) }
        }
    }

    /// Returns the factor of a sound in a channel: sounds are in the front channels, toward their side.
    private func gain(of sound: MixedSound, in channel: Int) -> Float {
        let count = waiting.count
        if count == 1 { return 1 }
        let place = unsafe av_channel_layout_channel_from_index(&encoder.pointee.ch_layout, UInt32(channel))
        let isLeft = place == AV_CHAN_FRONT_LEFT || place.rawValue < 0 && channel == 0
        let isRight = place == AV_CHAN_FRONT_RIGHT || place.rawValue < 0 && channel == 1
        if isLeft { return min(1, 1 - sound.balance) }
        return isRight ? min(1, 1 + sound.balance) : 0
    }

    /// Encodes the decoded packet as one packet.
    func encodePacket() throws(Failure) -> [UInt8] {
        unsafe frame.pointee.pts = sent
        sent += unsafe Int64(frame.pointee.nb_samples)
        let packets = try unsafe send(frame)
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
            packets += try unsafe send(nil)
        }
        return packets
    }

    /// Drops the first samples that wait.
    func drop(_ count: Int) { for channel in waiting.indices { waiting[channel].removeFirst(count) } }

    /// Drops all samples that wait.
    func dropAll() { for channel in waiting.indices { waiting[channel] = [] } }

    /// Encodes the first block that waits.
    private func encodeBlock() throws(Failure) -> [[UInt8]] {
        guard let block = unsafe av_frame_alloc() else { throw Failure(message: "out of memory") }
        defer {
            var closing: UnsafeMutablePointer<AVFrame>? = unsafe block
            unsafe av_frame_free(&closing)
        }
        unsafe block.pointee.format = encoder.pointee.sample_fmt.rawValue
        unsafe block.pointee.sample_rate = encoder.pointee.sample_rate
        unsafe block.pointee.nb_samples = Int32(blockLength)
        unsafe av_channel_layout_copy(&block.pointee.ch_layout, &encoder.pointee.ch_layout)
        guard unsafe av_frame_get_buffer(block, 0) >= 0 else { throw Failure(message: "out of memory") }
        let samples = unsafe SampleAccess(block)
        for channel in waiting.indices {
            for index in 0..<blockLength { unsafe samples.store(waiting[channel][index], index, channel) }
            waiting[channel].removeFirst(blockLength)
        }
        unsafe block.pointee.pts = sent
        sent += Int64(blockLength)
        return try unsafe send(block)
    }

    /// Sends a frame to the encoder, or the end, and returns the packets that are ready.
    private func send(_ frame: UnsafeMutablePointer<AVFrame>?) throws(Failure) -> [[UInt8]] {
        guard unsafe avcodec_send_frame(encoder, frame) >= 0 else { throw Failure(message: "the encoder failed") }
        var packets: [[UInt8]] = []
        guard let packet = unsafe av_packet_alloc() else { throw Failure(message: "out of memory") }
        defer {
            var closing: UnsafeMutablePointer<AVPacket>? = unsafe packet
            unsafe av_packet_free(&closing)
        }
        while unsafe avcodec_receive_packet(encoder, packet) >= 0 {
            packets.append(
                unsafe Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))))
            unsafe av_packet_unref(packet)
        }
        return packets
    }
}
