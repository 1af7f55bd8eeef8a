internal import CFFmpeg

/// The account of a media file: what its header describes (streams and their parameters, side data, dispositions, tags,
/// chapters), and the packets that were read or written.
///
/// A run has two of them, of its source and of its finished output, which ``InventoryComparison`` compares.
struct MediaInventory: Sendable, Hashable {
    /// The roles of streams. Streams of one role are compared in their order.
    enum Role: String, Sendable, Hashable {
        case video, cover, audio, subtitle, data, attachment, unknown
    }

    struct Stream: Sendable, Hashable {
        var role: Role
        var codec = ""
        /// The dispositions by FFmpeg's names.
        var dispositions: Set<String> = []
        var sideData: Set<StreamSideData.Kind> = []
        var tags: [String: String] = [:]
        /// The parameters that the header states, in words, by their names in messages.
        var parameters: [String: String] = [:]
        /// True if the pictures have transparency.
        var hasAlpha = false
        /// The bits of a sample of a codec whose samples have one size; 0 for other codecs. Such streams may be cut into
        /// packets of any size.
        var sampleBits = 0
        /// The family of a sound stream's codec if each packet states its format, as in transport streams.
        var soundHeaders: SoundHeader.Family?
        /// True if muxers create the stream themselves, from chapters or tags.
        var isDerived = false
        var tally = StreamTally()
    }

    var streams: [Stream] = []
    var tags: [String: String] = [:]
    var chapterCount = 0
    /// The kinds of groups of streams in FFmpeg's words, such as `IAMF Audio Element`; empty before FFmpeg 7.
    var groups: [String] = []
}

extension MediaInventory {
    /// The account of what the headers of a file describe so far, and of the packets that were read.
    init(of demuxer: Demuxer) {
        let input = demuxer.input
        let isTransport = input.hasFlag(AVFMT_TS_DISCONT)
        streams = Demuxer.describeStreams(input).map { info in
            var stream = Stream(info, input.stream(info.index), isTransport: isTransport)
            stream.tally = demuxer.tallies[info.index]
            return stream
        }
        tags = unsafe [String: String](input.metadata)
        chapterCount = Int(input.nb_chapters)
        groups = unsafe (0..<cffmpeg_group_count(input.pointer)).map { index in
            unsafe String(cffmpeg_group_name(input.pointer, index)) ?? "unknown"
        }
    }
}

extension MediaInventory.Stream {
    fileprivate init(_ info: StreamInfo, _ stream: StreamHandle, isTransport: Bool) {
        let coding = stream.parameters
        role = info.isAttachedPicture ? .cover : .init(rawValue: info.kind.rawValue) ?? .unknown
        codec = info.codec
        dispositions = Set(
            (0..<31).filter { stream.disposition & 1 << $0 != 0 }
                .compactMap { unsafe String(av_disposition_to_string(1 << $0)) })
        sideData = Set(stream.sideData.map(\.kind))
        tags = info.metadata
        parameters = coding.words
        let isSeparate = info.metadata.contains { $0.key.lowercased() == "alpha_mode" && $0.value == "1" }
        hasAlpha =
            info.kind == .video && (isSeparate || PixelFormat.hasAlpha(AVPixelFormat(rawValue: coding.format)))
        sampleBits = Int(av_get_bits_per_sample(coding.codec_id))
        soundHeaders = isTransport && coding.extradata_size == 0 ? SoundHeader.family(of: coding.codec_id) : nil
        isDerived = info.derivedRole != nil
    }
}

extension StreamParameters {
    /// The stated parameters of sound and pictures, by their names. Those that the header leaves open are missing.
    fileprivate var words: [String: String] {
        var words: [String: String] = [:]
        let channels = unsafe self.ch_layout.nb_channels
        if self.sample_rate > 0 { words["sample rate"] = "\(self.sample_rate) Hz" }
        if channels > 0 { words["number of channels"] = "\(channels)" }
        let colours = unsafe [
            "colour primaries": String(av_color_primaries_name(self.color_primaries)),
            "transfer function": String(av_color_transfer_name(self.color_trc)),
            "colour matrix": String(av_color_space_name(self.color_space)),
            "colour range": String(av_color_range_name(self.color_range)),
        ]
        for (name, value) in colours where !["unknown", "unspecified", nil].contains(value) { words[name] = value }
        return words
    }
}
