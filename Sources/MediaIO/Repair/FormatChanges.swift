internal import CFFmpeg

/// Drops the packets of copied streams whose format differs from the one at the beginning, as in recordings of broadcasts
/// and of tapes.
///
/// In transport streams a stream may become another codec, and in DV tapes the sample rate may change. An output
/// states the format of a stream once, in its header, so the packets would be played as noise or at a wrong pitch.
final class FormatChanges: PacketFilter {
    private struct Format {
        var codec: AVCodecID
        var sampleRate: Int32
        var channels: Int32

        init(_ parameters: StreamParameters) {
            codec = parameters.codec_id
            sampleRate = parameters.sample_rate
            channels = parameters.channelCount
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

        /// False until packets have revealed the format.
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

    /// The transport stream in which streams may go on after their last packet; nil for other files.
    private let joints: TransportJoints?
    /// The first known format of each stream.
    private var formats: [Int: Format] = [:]
    private var changes: [Int: Change] = [:]
    private var lastPackets: [Int: LastPacket] = [:]

    init(_ joints: TransportJoints?) { self.joints = joints }

    func add(_ packet: consuming Packet, of input: InputContext) -> Packet? {
        if accepts(packet, with: input.stream(packet.streamIndex).parameters) { return packet }
        return nil
    }

    /// Returns whether the next packet of a stream has the format with which the stream began.
    ///
    /// - Parameter parameters: The parameters of the stream, which FFmpeg updates as it reads.
    private func accepts(_ packet: borrowing Packet, with parameters: StreamParameters) -> Bool {
        guard parameters.codec_type == AVMEDIA_TYPE_AUDIO else { return true }
        let index = packet.streamIndex
        if joints != nil, let time = packet.presentationTime {
            let end = packet.duration.map { time + $0 } ?? time
            // Only the first frame of a PES packet has a position.
            let position = packet.av.pos
            let known = position >= 0 ? position : lastPackets[index]?.position ?? -1
            let family = SoundHeader.family(of: parameters.codec_id)
            let isOther = family != nil && SoundHeader(of: packet).map { $0.family != family } ?? false
            lastPackets[index] = LastPacket(position: known, end: end, isOther: isOther)
        }
        let format = Format(parameters)
        guard let first = formats[index] else {
            if format.isKnown { formats[index] = format }
            return true
        }
        if format.fits(first) || !format.isKnown { return true }
        let time = packet.presentationTime ?? packet.decodingTime
        changes[index, default: Change(words: "from \(first.words) to \(format.words)", time: time)].count += 1
        return false
    }

    /// Finds the streams of a transport stream that go on after their last packet, once it was read to its end. FFmpeg's
    /// parser of AC-3, for one, discards all bytes of another codec.
    func findHiddenChanges(in input: InputContext) {
        guard let joints else { return }
        for (index, last) in lastPackets where changes[index] == nil && last.position >= 0 && !last.isOther {
            guard let first = formats[index], joints.hasMore(of: Int(input.stream(index).id), after: last.position)
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
