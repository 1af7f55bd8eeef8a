internal import CFFmpeg

/// Drops the packets of copied streams whose format differs from the one at the beginning.
///
/// In transport streams a stream may become another codec, and in DV tapes the sample rate may change. An output
/// states the format of a stream once, in its header, so the packets would be played as noise or at a wrong pitch.
struct FormatChanges {
    private struct Format {
        var codec: AVCodecID
        var sampleRate: Int32
        var channels: Int32

        @unsafe
        init(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
            codec = unsafe parameters.pointee.codec_id
            sampleRate = unsafe parameters.pointee.sample_rate
            channels = unsafe parameters.pointee.ch_layout.nb_channels
        }

        /// Returns whether packets in this format can follow packets in another one. Most codecs state their rate and
        /// channels in each packet, and FFmpeg may learn them, and the layer of MPEG audio, from later ones.
        func fits(_ other: Format) -> Bool {
            guard codec == other.codec else {
                let families: [[AVCodecID]] = [
                    [AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3], [AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3],
                ]
                return families.contains { $0.contains(codec) && $0.contains(other.codec) }
            }
            let isPCM = av_get_bits_per_sample(codec) > 0
            return !isPCM || sampleRate == other.sampleRate && channels == other.channels
        }

        /// A Boolean value that is false until packets have revealed the format.
        var isKnown: Bool { codec != AV_CODEC_ID_NONE && sampleRate > 0 }

        var words: String {
            "\(unsafe String(cString: avcodec_get_name(codec))), \(sampleRate) Hz, \(channels) channel\(channels == 1 ? "" : "s")"
        }
    }

    /// The last packet of a sound stream.
    private struct LastPacket {
        /// The position of its PES packet in the file; below 0 if unknown.
        var position: Int64
        var end: MediaTime
        /// True if it has the header of another codec. The muxer drops and reports such packets.
        var isOther = false
    }

    /// The first change of a stream.
    private struct Change {
        var words: String
        var time: MediaTime?
        var count = 0
    }

    /// The first known format of each stream.
    private var formats: [Format?] = []
    private var changes: [Int: Change] = [:]
    private var lastPackets: [Int: LastPacket] = [:]

    /// - Parameters:
    ///   - packet: The next packet of a stream, with the file's own times.
    ///   - stream: The stream, whose parameters FFmpeg updates as it reads.
    ///   - recordsEnd: Whether ``finish(_:_:)`` will be called.
    /// - Returns: Whether the packet has the format with which the stream began.
    @unsafe
    mutating func accept(
        _ packet: borrowing Packet, of stream: UnsafeMutablePointer<AVStream>, recordsEnd: Bool
    ) -> Bool {
        let parameters = unsafe stream.pointee.codecpar!
        guard unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO else { return true }
        if recordsEnd, let time = packet.presentationTime {
            let end = packet.duration.map { time + $0 } ?? time
            // Only the first frame of a PES packet has a position.
            let position = packet.av.pos
            let known = position >= 0 ? position : lastPackets[packet.streamIndex]?.position ?? -1
            let family = unsafe SoundHeader.family(of: parameters.pointee.codec_id)
            let isOther = family != nil && SoundHeader(of: packet).map { $0.family != family } ?? false
            lastPackets[packet.streamIndex] = LastPacket(position: known, end: end, isOther: isOther)
        }
        let index = packet.streamIndex
        while formats.count <= index { formats.append(nil) }
        let format = unsafe Format(parameters)
        guard let first = formats[index] else {
            if format.isKnown { formats[index] = format }
            return true
        }
        if format.fits(first) || !format.isKnown { return true }
        var change =
            changes[index]
            ?? Change(
                words: "from \(first.words) to \(format.words)", time: packet.presentationTime ?? packet.decodingTime)
        change.count += 1
        changes[index] = change
        return false
    }

    /// Finds the streams of a transport stream that go on after their last packet. FFmpeg's parser of AC-3, for one,
    /// discards all bytes of another codec.
    ///
    /// - Parameters:
    ///   - file: The file, which was read to its end.
    ///   - context: The context that read it.
    @unsafe
    mutating func finish(_ file: TransportJoints, _ context: UnsafeMutablePointer<AVFormatContext>) {
        for (index, last) in lastPackets where changes[index] == nil && last.position >= 0 && !last.isOther {
            let stream = unsafe context.pointee.streams[index]!
            guard let first = index < formats.count ? formats[index] : nil,
                file.hasMore(of: unsafe Int(stream.pointee.id), after: last.position)
            else { continue }
            changes[index] = Change(words: "from \(first.words) to another format", time: last.end)
        }
    }

    /// Returns the changes so far as one error; nil if there are none.
    ///
    /// - Parameter offset: The duration that is added to the file's own times.
    func error(_ path: String, offset: MediaTime) -> MediaError? {
        guard !changes.isEmpty else { return nil }
        let all = changes.sorted { $0.key < $1.key }.map { index, change in
            let place = change.time.map { " at \(Demuxer.text(max(0, ($0 + offset).seconds))) s" } ?? ""
            return "stream \(index) changes\(place) \(change.words)"
        }
        return MediaError(
            .damaged, file: path,
            "\(path): \(all.joined(separator: "; ")): packets in another format than the first were omitted; convert the recording to keep them"
        )
    }
}
