/// The purposes of streams that no codec describes, by the four-character code of their sample entries.
enum StreamPurpose {
    /// Purposes by four-character code, in the words of their makers where they have some.
    private static let known: [String: String] = [
        "mebx": "Core Media metadata", "gpmd": "GoPro telemetry", "fdsc": "GoPro file description",
        "SOS ": "GoPro recovery data", "tmcd": "time code", "camm": "camera motion metadata",
        "rtmd": "Sony real-time metadata", "CTMD": "Canon timed metadata", "djmd": "DJI metadata",
        "dbgi": "DJI debug data", "rtp ": "RTP hints", "srtp": "SRTP hints", "mett": "timed text metadata",
        "metx": "timed XML metadata", "urim": "timed URI metadata", "mp4s": "MPEG-4 systems data",
        "c608": "closed captions", "c708": "closed captions", "stpp": "XML subtitles",
    ]

    /// The codes of sample entries of text, of which FFmpeg makes data where a track refers to them as its chapters.
    static let text: Set<String> = ["text", "tx3g"]

    /// The purpose of the data with a code; nil where it is not known.
    static func name(ofData tag: String) -> String? { text.contains(tag) ? "chapters" : known[tag] }

    /// A code as text; nil where it holds other than printable ASCII, as in containers that number their codecs.
    static func text(ofTag tag: UInt32) -> String? {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: tag >> ($0 * 8)) }
        guard bytes.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension StreamInfo {
    /// The roles of data that muxers write by themselves, from chapters and tags.
    enum DerivedRole: Hashable {
        /// The text track that holds the chapters' titles.
        case chapters
        /// The track that holds the time code of the first frame, which is also a tag.
        case timeCode
    }

    /// The role of data that muxers write by themselves; nil for other streams.
    ///
    /// FFmpeg calls a text track `bin_data` exactly where another track refers to it as its chapters.
    var derivedRole: DerivedRole? {
        guard kind == .data, let codecTag else { return nil }
        if codecTag == "tmcd" { return .timeCode }
        return codec == "bin_data" && StreamPurpose.text.contains(codecTag) ? .chapters : nil
    }

    /// The stream's content in words: `aac`, `cover art (mjpeg)`, `mebx (Core Media metadata)`.
    package var contentName: String {
        if isAttachedPicture { return "cover art (\(codec))" }
        guard kind == .data || kind == .unknown || codec == "none", let codecTag else { return codec }
        return StreamPurpose.name(ofData: codecTag).map { "\(codecTag.trimmedEnd) (\($0))" } ?? codecTag
    }
}

extension String {
    /// The text without spaces at its end.
    fileprivate var trimmedEnd: Substring { self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)] }
}
