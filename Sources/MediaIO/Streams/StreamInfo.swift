internal import CFFmpeg
package import Raster

/// One stream of a file, as the demuxer describes it.
package struct StreamInfo: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case video, audio, subtitle, data, attachment, unknown
    }

    /// The stream's index in the file, from 0.
    package var index: Int
    package var kind: Kind
    /// FFmpeg's short name of the codec, such as `h264`.
    package var codec: String
    /// The four-character code of the codec, if the container has such codes.
    package var codecTag: String?
    /// A Boolean value that indicates cover art: a still picture that represents the file.
    package var isAttachedPicture: Bool
    package var timeBase: TimeBase
    package var startTime: MediaTime?
    package var duration: MediaTime?
    package var metadata: [String: String]
    /// The container's name of a codec that FFmpeg does not know, such as `S_TEXT/WEBVTT`.
    var unknownCodec: String?
    /// True for the index of an Ogg file (Skeleton), which is no content.
    var isSkeleton = false

    package var language: String? { metadata["language"] }
}

extension VideoStreamInfo {
    /// True if the codec keeps every bit of the pictures, in all of its variants.
    ///
    /// `AV_CODEC_PROP_LOSSLESS`
    package var isLossless: Bool {
        guard let descriptor = unsafe avcodec_descriptor_get_by_name(codec) else { return false }
        let properties = unsafe descriptor.pointee.props
        return properties & AV_CODEC_PROP_LOSSLESS != 0 && properties & AV_CODEC_PROP_LOSSY == 0
    }
}

/// The properties of a video stream, before it is decoded.
package struct VideoStreamInfo: Sendable, Hashable {
    /// The stream's index in the file.
    package var index: Int
    package var codec: String
    package var timeBase: TimeBase
    /// Frames a second over the whole stream; 0/1 if unknown.
    package var averageFrameRate: Rational
    /// The stored width in pixels according to the file's header; frames may differ.
    package var width: Int
    package var height: Int
    /// The width of a pixel divided by its height; 1/1 if the file does not state it.
    package var sampleAspectRatio: Rational
    package var orientation: Orientation
    package var startTime: MediaTime?
    /// The duration of the stream, or else of the file.
    package var duration: MediaTime?
    /// The number of frames according to the file's header; nil if it is not stated.
    package var frameCount: Int?

    /// Creates the properties of pictures that are not read from a file.
    package init(
        width: Int, height: Int, frameRate: Rational, timeBase: TimeBase? = nil
    ) {
        self.index = 0
        self.codec = ""
        self.timeBase = timeBase ?? frameRate.inverse
        self.averageFrameRate = frameRate
        self.width = width
        self.height = height
        self.sampleAspectRatio = Rational(1, 1)
        self.orientation = .upright
    }

    package var geometry: DisplayGeometry {
        DisplayGeometry(
            storedWidth: width, storedHeight: height, sampleAspectRatio: sampleAspectRatio.value,
            orientation: orientation)
    }
}

/// A stream of the input that the output lacks, and the reason.
package struct SkippedStream: Sendable, Hashable {
    package var stream: StreamInfo
    package var reason: String
}

/// A named interval of a file.
package struct Chapter: Sendable, Hashable {
    package var start: MediaTime
    package var end: MediaTime
    package var title: String?

    package init(start: MediaTime, end: MediaTime, title: String?) {
        (self.start, self.end, self.title) = (start, end, title)
    }
}

extension StreamInfo {
    /// The purposes of streams without a codec, by the four-character code of their sample entries. Where possible, the
    /// words are those of the format's maker.
    private static let purposes: [String: String] = [
        "mebx": "Core Media metadata", "gpmd": "GoPro telemetry", "fdsc": "GoPro file description",
        "SOS ": "GoPro recovery data", "tmcd": "time code", "camm": "camera motion metadata",
        "rtmd": "Sony real-time metadata", "CTMD": "Canon timed metadata", "djmd": "DJI metadata",
        "dbgi": "DJI debug data", "rtp ": "RTP hints", "srtp": "SRTP hints", "mett": "timed text metadata",
        "metx": "timed XML metadata", "urim": "timed URI metadata", "mp4s": "MPEG-4 systems data",
        "c608": "closed captions", "c708": "closed captions", "stpp": "XML subtitles",
        "apac": "Apple spatial audio", "wvtt": "WebVTT",
    ]

    /// The codes of text sample entries. FFmpeg treats such a track as data if another track refers to it as its
    /// chapters.
    private static let textTags: Set<String> = ["text", "tx3g"]

    /// Returns the purpose of data with a code; nil if unknown.
    private static func purpose(ofData tag: String) -> String? {
        textTags.contains(tag) ? "chapters" : purposes[tag]
    }

    /// Returns a code as text; nil if it is not printable ASCII, for example in containers that number their codecs.
    static func text(ofTag tag: UInt32) -> String? {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: tag >> ($0 * 8)) }
        guard bytes.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The roles of data streams that a muxer creates itself, from chapters and tags.
    enum DerivedRole: Hashable {
        /// The text track that holds the chapters' titles.
        case chapters
        /// The track that holds the time code of the first frame, which is also a tag.
        case timeCode
        /// The index of an Ogg file, in place of which each container has its own.
        case index
    }

    /// The role of a data stream that a muxer creates itself; nil for other streams.
    ///
    /// FFmpeg calls a text track `bin_data` only if another track refers to it as its chapters.
    var derivedRole: DerivedRole? {
        if isSkeleton { return .index }
        guard kind == .data, let codecTag else { return nil }
        if codecTag == "tmcd" { return .timeCode }
        return codec == "bin_data" && Self.textTags.contains(codecTag) ? .chapters : nil
    }

    /// The stream's content in words: `aac`, `cover art (mjpeg)`, `mebx (Core Media metadata)`.
    package var contentName: String {
        if isAttachedPicture { return "cover art (\(codec))" }
        if let unknownCodec { return unknownCodec.hasSuffix("/WEBVTT") ? "WebVTT (\(unknownCodec))" : unknownCodec }
        guard kind == .data || kind == .unknown || codec == "none", let codecTag else { return codec }
        return Self.purpose(ofData: codecTag).map { "\(codecTag.trimmedEnd) (\($0))" } ?? codecTag
    }
}

extension String {
    /// The text without trailing spaces.
    fileprivate var trimmedEnd: Substring { self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)] }
}

/// The parameters of an encoded stream that a container's header needs, known before the first packet.
///
/// `AVCodecParameters`
@safe
package final class VideoHeader: @unchecked Sendable {
    // The parameters are never changed.
    let parameters: UnsafeMutablePointer<AVCodecParameters>
    let codec: VideoCodec
    /// The time base of the packets.
    let timeBase: TimeBase
    /// The average frames a second; not positive if unknown.
    let frameRate: Rational
    /// The orientation that players must apply to the coded picture. The muxer writes it only if the source has no
    /// display matrix to copy.
    let orientation: Orientation
    /// The mastering display metadata of the first picture.
    let grading: [StreamSideData]

    /// Copies the stream parameters of an open encoder.
    ///
    /// - Parameter path: The output that an error names.
    /// - throws: ``MediaError`` of the code `internal`.
    ///
    /// `avcodec_parameters_from_context`
    init(
        _ context: borrowing CodecContext, codec: VideoCodec, frameRate: Rational,
        orientation: Orientation, grading: [StreamSideData], path: String
    ) throws(MediaError) {
        guard let parameters = unsafe avcodec_parameters_alloc() else { throw .outOfMemory(path) }
        unsafe self.parameters = unsafe parameters
        self.codec = codec
        timeBase = context.timeBase
        self.frameRate = frameRate
        self.orientation = orientation
        self.grading = grading
        let status = unsafe context.copyParameters(to: parameters)
        if status < 0 { throw .writing(path, status: status) }
    }

    deinit {
        var freed: UnsafeMutablePointer<AVCodecParameters>? = unsafe parameters
        unsafe avcodec_parameters_free(&freed)
    }
}
