internal import CFFmpeg

/// The parts of a media file that its header describes: streams, side data, dispositions, tags and chapters.
struct MediaInventory: Sendable, Hashable {
    /// The roles of streams, among which those of one file are compared with another's in their order.
    enum Role: String, Sendable, Hashable {
        case video, cover, audio, subtitle, data, attachment, unknown
    }

    struct Stream: Sendable, Hashable {
        var role: Role
        var codec = ""
        /// FFmpeg's names.
        var dispositions: Set<String> = []
        var sideData: Set<StreamSideData.Kind> = []
        var tags: [String: String] = [:]
        /// A Boolean value that indicates whether muxers write it by themselves, from chapters or tags.
        var isDerived = false
    }

    var streams: [Stream] = []
    var tags: [String: String] = [:]
    var chapterCount = 0

    init(streams: [Stream] = [], tags: [String: String] = [:], chapterCount: Int = 0) {
        self.streams = streams
        self.tags = tags
        self.chapterCount = chapterCount
    }

    @unsafe
    init(_ context: UnsafeMutablePointer<AVFormatContext>) {
        streams = unsafe Demuxer.describeStreams(context).map { info in
            let stream = unsafe context.pointee.streams[info.index]!
            return unsafe Stream(
                role: info.isAttachedPicture ? .cover : Role(rawValue: info.kind.rawValue) ?? .unknown,
                codec: info.codec, dispositions: Self.dispositions(stream.pointee.disposition),
                sideData: Set(StreamSideData.all(of: stream).map(\.kind)), tags: info.metadata,
                isDerived: info.derivedRole != nil)
        }
        tags = unsafe Demuxer.dictionary(context.pointee.metadata)
        chapterCount = unsafe Int(context.pointee.nb_chapters)
    }

    /// Reads a file's header; nil where that fails.
    init?(file: String, container: ContainerFormat) {
        var context: UnsafeMutablePointer<AVFormatContext>? = nil
        var options: OpaquePointer? = nil
        defer { unsafe av_dict_free(&options) }
        guard unsafe av_dict_set(&options, "protocol_whitelist", "file", 0) >= 0,
            unsafe avformat_open_input(&context, "file:" + file, av_find_input_format(container.demuxerName), &options)
                >= 0,
            let opened = unsafe context
        else { return nil }
        defer { unsafe avformat_close_input(&context) }
        // FLV has no list of its streams.
        if container == .flv, unsafe avformat_find_stream_info(opened, nil) < 0 { return nil }
        unsafe self.init(opened)
    }

    private static func dispositions(_ flags: Int32) -> Set<String> {
        Set(
            (0..<31).compactMap { bit -> String? in
                guard flags & 1 << bit != 0 else { return nil }
                return unsafe av_disposition_to_string(1 << bit).map { unsafe String(cString: $0) }
            })
    }
}
