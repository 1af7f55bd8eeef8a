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

    init(
        streams: [Stream] = [], tags: [String: String] = [:], chapterCount: Int = 0, groups: [String] = []
    ) {
        self.streams = streams
        self.tags = tags
        self.chapterCount = chapterCount
        self.groups = groups
    }

    @unsafe
    init(_ context: UnsafeMutablePointer<AVFormatContext>) {
        let isTransport = unsafe context.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0
        streams = unsafe Demuxer.describeStreams(context).map { info in
            let stream = unsafe context.pointee.streams[info.index]!
            return unsafe Stream(
                role: info.isAttachedPicture ? .cover : Role(rawValue: info.kind.rawValue) ?? .unknown,
                codec: info.codec, dispositions: Self.dispositions(stream.pointee.disposition),
                sideData: Set(StreamSideData.all(of: stream).map(\.kind)), tags: info.metadata,
                parameters: Self.parameters(stream.pointee.codecpar),
                hasAlpha: Self.hasAlpha(info, stream.pointee.codecpar),
                sampleBits: Int(av_get_bits_per_sample(stream.pointee.codecpar.pointee.codec_id)),
                soundHeaders: isTransport && stream.pointee.codecpar.pointee.extradata_size == 0
                    ? SoundHeader.family(of: stream.pointee.codecpar.pointee.codec_id) : nil,
                isDerived: info.derivedRole != nil)
        }
        tags = unsafe Demuxer.dictionary(context.pointee.metadata)
        chapterCount = unsafe Int(context.pointee.nb_chapters)
        groups = unsafe (0..<cffmpeg_group_count(context)).map { index in
            unsafe cffmpeg_group_name(context, index).map { unsafe String(cString: $0) } ?? "unknown"
        }
    }

    /// The account of a file that was read to its end.
    init(of demuxer: Demuxer) {
        unsafe self.init(demuxer.context)
        for index in streams.indices { streams[index].tally = demuxer.tallies[index] }
    }

    /// Returns the stated parameters of sound and pictures. Those that the header leaves open are missing.
    @unsafe
    private static func parameters(_ from: UnsafeMutablePointer<AVCodecParameters>) -> [String: String] {
        var words: [String: String] = [:]
        func state(_ name: String, _ value: UnsafePointer<CChar>?) {
            if let text = unsafe value.map({ unsafe String(cString: $0) }), !["unknown", "unspecified"].contains(text) {
                words[name] = text
            }
        }
        let (rate, channels) = unsafe (from.pointee.sample_rate, from.pointee.ch_layout.nb_channels)
        if rate > 0 { words["sample rate"] = "\(rate) Hz" }
        if channels > 0 { words["number of channels"] = "\(channels)" }
        unsafe state("colour primaries", av_color_primaries_name(from.pointee.color_primaries))
        unsafe state("transfer function", av_color_transfer_name(from.pointee.color_trc))
        unsafe state("colour matrix", av_color_space_name(from.pointee.color_space))
        unsafe state("colour range", av_color_range_name(from.pointee.color_range))
        return words
    }

    @unsafe
    private static func hasAlpha(_ info: StreamInfo, _ parameters: UnsafeMutablePointer<AVCodecParameters>) -> Bool {
        guard info.kind == .video else { return false }
        let isSeparate = info.metadata.contains { $0.key.lowercased() == "alpha_mode" && $0.value == "1" }
        return isSeparate || PixelFormat.hasAlpha(unsafe AVPixelFormat(rawValue: parameters.pointee.format))
    }

    private static func dispositions(_ flags: Int32) -> Set<String> {
        Set(
            (0..<31).compactMap { bit -> String? in
                guard flags & 1 << bit != 0 else { return nil }
                return unsafe av_disposition_to_string(1 << bit).map { unsafe String(cString: $0) }
            })
    }
}
