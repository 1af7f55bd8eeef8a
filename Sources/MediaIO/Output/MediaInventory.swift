internal import CFFmpeg

/// The parts of a media file that its header describes: streams, side data, dispositions, tags and chapters.
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
        /// A Boolean value that indicates whether muxers create the stream themselves, from chapters or tags.
        var isDerived = false
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
        groups = unsafe (0..<cffmpeg_group_count(context)).map { index in
            unsafe cffmpeg_group_name(context, index).map { unsafe String(cString: $0) } ?? "unknown"
        }
    }

    /// Reads a file's header; nil if that fails.
    init?(file: String, container: ContainerFormat) {
        var context: UnsafeMutablePointer<AVFormatContext>? = nil
        var options: OpaquePointer? = nil
        defer { unsafe av_dict_free(&options) }
        for (key, value) in [("protocol_whitelist", "file")] + DecoderList.options(.recordings) {
            guard unsafe av_dict_set(&options, key, value, 0) >= 0 else { return nil }
        }
        guard
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

/// The names of tags.
enum TagName {
    /// Returns a name for comparisons: Matroska writes capitals, and MP4 appends languages.
    static func normalised(_ key: String) -> String {
        let name = key.lowercased()
        if name.hasPrefix("location-") { return "location" }
        // QuickTime has two lists of tags with different names, of which a file has one.
        switch name {
        case "com.apple.quicktime.location.iso6709": return "location"
        case "com.apple.quicktime.make": return "make"
        case "com.apple.quicktime.model": return "model"
        default: return name
        }
    }

    /// The tags that describe how a file was written, rather than its content. Their loss is not reported.
    private static let passing: Set<String> = [
        "major_brand", "minor_version", "compatible_brands", "encoder", "software", "duration", "metadatacreator",
        "hasvideo", "hasaudio", "hasmetadata", "haskeyframes", "canseektoend", "datasize", "videosize", "audiosize",
        "lasttimestamp", "lastkeyframetimestamp", "lastkeyframelocation", "service_name", "service_provider",
    ]
    private static let passingOfStreams: Set<String> = [
        "title", "handler_name", "language", "vendor_id", "creation_time", "rotate", "alpha_mode", "stereo_mode",
        "bps", "variant_bitrate", "source_id", "id3v2_priv", "filename", "mimetype", "reel_name",
    ]

    /// Returns whether a tag, by its normalised name, must be in the output.
    static func isLasting(_ key: String, ofStream: Bool) -> Bool {
        if passing.contains(key) || key.hasPrefix("encoder") { return false }
        guard ofStream else { return true }
        let prefixes = ["bps-", "duration-", "number_of_", "_statistics", "source_id-"]
        return !passingOfStreams.contains(key) && !prefixes.contains { key.hasPrefix($0) }
    }

    private static func value(_ key: String, _ tags: [String: String]) -> String? {
        (tags[key] ?? tags[key.uppercased()]).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the name that a user or a program gave a track: its title, or otherwise an unusual handler's name.
    static func trackName(_ tags: [String: String]) -> String? {
        if let title = value("title", tags) { return title }
        return value("handler_name", tags).flatMap { isUsualHandler($0) ? nil : $0 }
    }

    static func language(_ tags: [String: String]) -> String? {
        value("language", tags).flatMap { ["und", "unk"].contains($0) ? nil : $0 }
    }

    private static let usualHandlers = [
        "handle", "core media", "gopro", "iso media", "isomedia", "mainconcept", "camera motion metadata", "google",
        "ambarella", "dji.", "gpac",
    ]

    /// Returns whether a handler's name is one that programs and cameras write into every file.
    static func isUsualHandler(_ name: String) -> Bool {
        let text = name.lowercased()
        return usualHandlers.contains { text.contains($0) }
    }
}

extension Muxer {
    /// Returns the properties of the source that the output lacks, in words; nil if it lacks none.
    ///
    /// Reads the header of a completed file. Pipes, devices and network outputs cannot be read; for them the result is
    /// nil.
    package func losses() -> String? {
        guard let source = sourceInventory, case .file(let temporary) = sink,
            let output = MediaInventory(file: temporary, container: container)
        else { return nil }
        let written = writtenStreams.map { source, place in
            let stream = unsafe context.pointee.streams[place]!
            let isAttachment = unsafe stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_ATTACHMENT
            return InventoryComparison.WrittenStream(
                source: source, isEmpty: unsafe stream.pointee.nb_frames == 0 && !isAttachment)
        }
        let comparison = InventoryComparison(
            container: container, written: written, reported: Set(skippedStreams.compactMap(\.stream.derivedRole)),
            video: writtenStreams.first { $0.place == videoPlace }?.source, encodesVideo: !copiesVideo)
        let losses = comparison.losses(from: source, to: output)
        guard !losses.isEmpty else { return nil }
        let isPoor = ![.mp4, .mov, .matroska].contains(container)
        let remedy = isPoor ? " (MP4, QuickTime and Matroska support more than \(container.displayName))" : ""
        return "\(path): not preserved from the input: \(losses.joined(separator: "; "))" + remedy
    }
}

/// Compares the inventories (``MediaInventory``) of a written file and its source, and describes what the file lacks.
///
/// Intended changes are ignored: the names of encoders and brands, statistics of a coding, usual names of handlers, and
/// side data that the coded frames repeat.
struct InventoryComparison {
    var container: ContainerFormat
    /// The source's streams that were written, in the order of the file.
    var written: [WrittenStream]
    /// The roles of streams that a muxer creates itself, and whose omission was already reported.
    var reported: Set<StreamInfo.DerivedRole> = []
    /// The main video's index in the source.
    var video: Int?
    /// A Boolean value that indicates whether the main video was encoded again.
    var encodesVideo = false

    struct WrittenStream: Sendable, Hashable {
        /// The stream's index in the source.
        var source: Int
        /// A Boolean value that indicates that no packet was written. Some containers then omit the stream.
        var isEmpty = false
    }

    /// Returns the losses, each a phrase such as `the tags artist, title`.
    func losses(from source: MediaInventory, to output: MediaInventory) -> [String] {
        let pairs = self.pairs(source, output)
        var phrases: [String] = []
        let missing = written.filter { !$0.isEmpty && pairs[$0.source] == nil }.map(\.source)
        if !missing.isEmpty {
            phrases.append(Self.phrase("stream", missing.map { "\($0) (\(source.streams[$0].codec))" }))
        }
        for kind in StreamSideData.Kind.allCases {
            let lossy = pairs.keys.sorted().filter { lacks(kind, source, output, $0, pairs[$0]!) }
            if let first = lossy.first {
                let place = lossy == [video] || first == video ? "" : " of stream \(first)"
                let cause =
                    encodesVideo && first == video && !kind.outlivesEncoding ? ", since the video is re-encoded" : ""
                phrases.append("the \(kind.rawValue)\(place)\(cause)")
            }
        }
        phrases += tagLosses(source, output, pairs)
        if output.chapterCount < source.chapterCount, !reported.contains(.chapters) {
            let count = source.chapterCount - output.chapterCount
            phrases.append(count == 1 ? "one chapter" : "\(count) chapters")
        }
        var groups = source.groups
        for kept in output.groups { groups.firstIndex(of: kept).map { _ = groups.remove(at: $0) } }
        if !groups.isEmpty { phrases.append(Self.phrase("the stream group", groups)) }
        return phrases
    }

    /// Maps the source's streams to the file's streams: streams of one role have the same order.
    private func pairs(_ source: MediaInventory, _ output: MediaInventory) -> [Int: Int] {
        var pairs: [Int: Int] = [:]
        let found = Dictionary(grouping: output.streams.indices.filter { !output.streams[$0].isDerived }) {
            output.streams[$0].role
        }
        for (role, ours) in Dictionary(grouping: written, by: { source.streams[$0.source].role }) {
            let theirs = found[role] ?? []
            let full = ours.count == theirs.count ? ours : ours.filter { !$0.isEmpty }
            for (stream, place) in zip(full, theirs) { pairs[stream.source] = place }
        }
        return pairs
    }

    private func lacks(
        _ kind: StreamSideData.Kind, _ source: MediaInventory, _ output: MediaInventory, _ from: Int, _ to: Int
    ) -> Bool {
        let stream = source.streams[from]
        guard stream.sideData.contains(kind), !output.streams[to].sideData.contains(kind) else { return false }
        switch kind {
        // If the container holds no matrix, the main video's pictures were rotated upright.
        case .displayMatrix: return from != video || container.holdsDisplayMatrix
        // Coded frames of these codecs contain the same metadata.
        case .masteringDisplay, .contentLight: return !["h264", "hevc", "av1"].contains(output.streams[to].codec)
        default: return true
        }
    }

    private func tagLosses(_ source: MediaInventory, _ output: MediaInventory, _ pairs: [Int: Int]) -> [String] {
        var names: [String] = [], languages: Set<String> = [], dispositions: Set<String> = []
        var tags: [String: String] = [:], hasTimeCode = false
        let kept = Set(output.tags.keys.map(TagName.normalised))
        for (from, to) in pairs.sorted(by: { $0.key < $1.key }) {
            let (stream, result) = (source.streams[from], output.streams[to])
            if let name = TagName.trackName(stream.tags), TagName.trackName(result.tags) == nil { names.append(name) }
            if let language = TagName.language(stream.tags), TagName.language(result.tags) == nil {
                languages.insert(language)
            }
            let lost = stream.dispositions.subtracting(result.dispositions)
            dispositions.formUnion(lost.filter { $0 != "default" || isDistinctDefault(from, source) })
            let keys = Set(result.tags.keys.map(TagName.normalised)).union(kept)
            for tag in stream.tags.keys {
                let key = TagName.normalised(tag)
                guard !keys.contains(key), TagName.isLasting(key, ofStream: true) else { continue }
                if key == "timecode" { hasTimeCode = true } else { tags[key] = tag }
            }
        }
        let streamTags = Set(output.streams.flatMap { $0.tags.keys.map(TagName.normalised) })
        for (tag, value) in source.tags {
            let key = TagName.normalised(tag)
            guard !kept.contains(key), TagName.isLasting(key, ofStream: false), !value.isEmpty else { continue }
            if key == "timecode" { hasTimeCode = hasTimeCode || !streamTags.contains(key) } else { tags[key] = tag }
        }
        var phrases: [String] = []
        if hasTimeCode, !reported.contains(.timeCode) { phrases.append("the time code") }
        if !names.isEmpty { phrases.append(Self.phrase("the track name", names.map { "'\($0)'" })) }
        if !languages.isEmpty { phrases.append(Self.phrase("the language", languages.sorted())) }
        if !dispositions.isEmpty { phrases.append(Self.phrase("the disposition", dispositions.sorted())) }
        if !tags.isEmpty { phrases.append(Self.phrase("the tag", tags.values.sorted())) }
        return phrases
    }

    /// Returns whether the disposition `default` of a stream matters to players. It does if no other stream of the role
    /// has it, and the stream is not the first, which players choose anyway.
    private func isDistinctDefault(_ index: Int, _ source: MediaInventory) -> Bool {
        let others = written.map(\.source).filter { source.streams[$0].role == source.streams[index].role }
        return others.first != index
            && !others.contains { $0 != index && source.streams[$0].dispositions.contains("default") }
    }

    private static func phrase(_ noun: String, _ items: [String]) -> String {
        let listed = items.prefix(8).joined(separator: ", ") + (items.count > 8 ? ", … (\(items.count))" : "")
        return "\(noun)\(items.count == 1 ? "" : "s") \(listed)"
    }
}
