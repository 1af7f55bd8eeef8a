internal import CFFmpeg
package import Raster

/// One stream of a file, as the demuxer found it.
package struct StreamInfo: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case video, audio, subtitle, data, attachment, unknown
    }

    /// Its place in the file, from 0.
    package var index: Int
    package var kind: Kind
    /// FFmpeg's short name of the codec, such as `h264`.
    package var codec: String
    /// The four-character code of the coding, where the container has such codes.
    package var codecTag: String?
    /// A still picture that stands for the file (cover art), not a moving one.
    package var isAttachedPicture: Bool
    package var timeBase: TimeBase
    package var startTime: MediaTime?
    package var duration: MediaTime?
    package var metadata: [String: String]

    package var language: String? { metadata["language"] }
}

/// The moving picture of a file, before any of it is decoded.
package struct VideoStreamInfo: Sendable, Hashable {
    /// The stream's place in the file.
    package var index: Int
    package var codec: String
    package var timeBase: TimeBase
    /// Frames a second over the whole stream; 0/1 where nothing is known.
    package var averageFrameRate: Rational
    /// Stored pixels, from the file's header: frames may differ.
    package var width: Int
    package var height: Int
    /// The width of a pixel over its height; 1/1 where the file does not say.
    package var sampleAspectRatio: Rational
    package var orientation: Orientation
    package var startTime: MediaTime?
    /// The stream's, or else the file's.
    package var duration: MediaTime?
    /// As the header claims; nil where it does not.
    package var frameCount: Int?

    /// A description of pictures that come from no file.
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

/// A named stretch of a file.
package struct Chapter: Sendable, Hashable {
    package var start: MediaTime
    package var end: MediaTime
    package var title: String?
}

extension StreamInfo {
    /// The purposes of streams that no codec describes, by the four-character code of their sample entries, in the words of
    /// their makers where they have some.
    private static let purposes: [String: String] = [
        "mebx": "Core Media metadata", "gpmd": "GoPro telemetry", "fdsc": "GoPro file description",
        "SOS ": "GoPro recovery data", "tmcd": "time code", "camm": "camera motion metadata",
        "rtmd": "Sony real-time metadata", "CTMD": "Canon timed metadata", "djmd": "DJI metadata",
        "dbgi": "DJI debug data", "rtp ": "RTP hints", "srtp": "SRTP hints", "mett": "timed text metadata",
        "metx": "timed XML metadata", "urim": "timed URI metadata", "mp4s": "MPEG-4 systems data",
        "c608": "closed captions", "c708": "closed captions", "stpp": "XML subtitles",
    ]

    /// The codes of sample entries of text, of which FFmpeg makes data where a track refers to them as its chapters.
    private static let textTags: Set<String> = ["text", "tx3g"]

    /// The purpose of the data with a code; nil where it is not known.
    private static func purpose(ofData tag: String) -> String? {
        textTags.contains(tag) ? "chapters" : purposes[tag]
    }

    /// A code as text; nil where it holds other than printable ASCII, as in containers that number their codecs.
    static func text(ofTag tag: UInt32) -> String? {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: tag >> ($0 * 8)) }
        guard bytes.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

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
        return codec == "bin_data" && Self.textTags.contains(codecTag) ? .chapters : nil
    }

    /// The stream's content in words: `aac`, `cover art (mjpeg)`, `mebx (Core Media metadata)`.
    package var contentName: String {
        if isAttachedPicture { return "cover art (\(codec))" }
        guard kind == .data || kind == .unknown || codec == "none", let codecTag else { return codec }
        return Self.purpose(ofData: codecTag).map { "\(codecTag.trimmedEnd) (\($0))" } ?? codecTag
    }
}

extension String {
    /// The text without spaces at its end.
    fileprivate var trimmedEnd: Substring { self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)] }
}

/// What an encoder says of its stream before the first packet: what a container's header needs.
///
/// `AVCodecParameters`
@safe
package final class VideoHeader: @unchecked Sendable {
    // Nobody changes it.
    let parameters: UnsafeMutablePointer<AVCodecParameters>
    let codec: VideoCodec
    /// Of packets' times.
    let timeBase: TimeBase
    /// Frames a second on average; not positive where nobody knows.
    let frameRate: Rational
    /// How players must turn the coded picture, unless the source says so already.
    let orientation: Orientation
    /// What the first picture says of the screen that all of them were graded on.
    let grading: [StreamSideData]

    /// Copies the stream parameters of an encoder that is open.
    ///
    /// - Parameter path: The output that an error names.
    /// - throws: ``MediaError`` of the code `internal`.
    ///
    /// `avcodec_parameters_from_context`
    init(
        _ context: UnsafeMutablePointer<AVCodecContext>, codec: VideoCodec, frameRate: Rational,
        orientation: Orientation, grading: [StreamSideData], path: String
    ) throws(MediaError) {
        guard let parameters = unsafe avcodec_parameters_alloc() else { throw .outOfMemory(path) }
        unsafe self.parameters = unsafe parameters
        self.codec = codec
        timeBase = unsafe Rational(context.pointee.time_base)
        self.frameRate = frameRate
        self.orientation = orientation
        self.grading = grading
        let status = unsafe avcodec_parameters_from_context(parameters, context)
        if status < 0 { throw .writing(path, status: status) }
    }

    deinit {
        var freed: UnsafeMutablePointer<AVCodecParameters>? = unsafe parameters
        unsafe avcodec_parameters_free(&freed)
    }
}
