internal import CFFmpeg
import Platform

/// The containers that can be written, chosen by name or by the file name's extension.
package enum ContainerFormat: String, Sendable, Hashable, CaseIterable {
    case mp4, mov, matroska, webm, mpegts, avi
    /// FFmpeg's own container, designed for pipes.
    case nut
    /// The container of RTMP.
    case flv
    /// Uncompressed pictures, with a header (YUV4MPEG2) or without.
    case yuv4mpegpipe, rawvideo
    /// Uncompressed pictures for a video device.
    case v4l2

    /// Creates a container by FFmpeg's name or a usual short one; nil if it is none of them.
    package init?(name: String) {
        switch name {
        case "y4m": self = .yuv4mpegpipe
        case "raw": self = .rawvideo
        case "mkv": self = .matroska
        case "ts": self = .mpegts
        default: self.init(rawValue: name)
        }
    }

    /// The names to offer in messages.
    package static let names = allCases.filter { $0 != .v4l2 }.map(\.rawValue)

    /// - Returns: Nil if the extension stands for none of them.
    package init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        switch name[name.index(after: dot)...].lowercased() {
        case "mp4", "m4v": self = .mp4
        case "mov", "qt": self = .mov
        case "mkv", "mk3d": self = .matroska
        case "webm": self = .webm
        case "ts", "m2ts", "mts": self = .mpegts
        case "avi": self = .avi
        case "nut": self = .nut
        case "flv": self = .flv
        case "y4m": self = .yuv4mpegpipe
        default: return nil
        }
    }

    /// Returns the container of an output; nil if its name must state it, and does not.
    ///
    /// - Parameter format: The requested container. A video device always has its own.
    package static func chosen(for output: String, format: ContainerFormat? = nil) -> ContainerFormat? {
        switch MediaAddress(output) {
        case .standardStream: format ?? .nut
        case .file(let path): format ?? ContainerFormat(path: path) ?? (TemporaryFile.isSpecial(path) ? .nut : nil)
        case .network(let scheme, _): format ?? scheme.usualContainer
        case .videoDevice: .v4l2
        case .unsupported: nil
        }
    }

    /// The extensions to offer in messages.
    package static let extensions = [
        "mp4", "m4v", "mov", "mkv", "webm", "ts", "m2ts", "mts", "avi", "nut", "flv", "y4m",
    ]

    /// Returns the error for an output whose name has no known extension.
    ///
    /// - Parameter others: Further extensions that are allowed.
    package static func unknown(_ path: String, others: [String] = []) -> MediaError {
        if path.isEmpty {
            return MediaError(
                .unknownOutputFormat, file: path, "the output's name is empty; name a file, such as out.mp4")
        }
        let known = (extensions + others).map { "." + $0 }.joined(separator: ", ")
        return MediaError(
            .unknownOutputFormat, file: path,
            "\(path): the name must end in the kind of file to write: one of \(known)")
    }

    /// The name for users.
    package var displayName: String {
        switch self {
        case .mp4: "MP4"
        case .mov: "QuickTime"
        case .matroska: "Matroska"
        case .webm: "WebM"
        case .mpegts: "MPEG-TS"
        case .avi: "AVI"
        case .nut: "NUT"
        case .flv: "FLV"
        case .yuv4mpegpipe: "YUV4MPEG2"
        case .rawvideo: "raw video"
        case .v4l2: "a video device"
        }
    }

    /// FFmpeg's name of the muxer.
    var muxerName: String { rawValue }

    /// FFmpeg's name of the demuxer.
    var demuxerName: String { self == .mp4 ? "mov" : self == .webm ? "matroska" : rawValue }

    /// A Boolean value that indicates whether a file can hold chapters, the time code of its first frame, and names of tracks.
    var holdsDescriptions: Bool { [.mp4, .mov, .matroska, .webm, .nut].contains(self) }

    /// A Boolean value that indicates whether H.264, the usual codec, can be stored.
    package var takesH264: Bool { self != .webm }

    /// A Boolean value that indicates whether pictures can be stored in another order than they are shown in.
    var keepsReorderedTimes: Bool { self != .avi }

    /// A Boolean value that indicates whether pictures are written uncompressed.
    package var isUncompressed: Bool { self == .yuv4mpegpipe || self == .rawvideo || self == .v4l2 }

    /// A Boolean value that indicates whether the beginning of the file is written last.
    var needsSeeking: Bool { self == .avi }

    /// A Boolean value that indicates whether a file can state the orientation of the picture.
    var holdsDisplayMatrix: Bool { self == .mp4 || self == .mov }

    /// A Boolean value that indicates whether an edit list can hide pictures in a file.
    package var hidesPictures: Bool { self == .mp4 || self == .mov }

    /// A Boolean value that indicates whether codec headers stand once in the file's header instead of before key
    /// frames.
    var wantsGlobalHeader: Bool { self != .mpegts && self != .avi && !isUncompressed }
}

extension ContainerFormat {
    /// The codecs for which MPEG-TS has stream types: others would be written as private data that no player reads.
    static let transportStreamCodecs: [AVCodecID] = [
        AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4,
        AV_CODEC_ID_VC1, AV_CODEC_ID_DIRAC, AV_CODEC_ID_CAVS,
        AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM,
        AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS, AV_CODEC_ID_TRUEHD, AV_CODEC_ID_OPUS,
        AV_CODEC_ID_S302M,
        AV_CODEC_ID_DVB_SUBTITLE, AV_CODEC_ID_DVB_TELETEXT, AV_CODEC_ID_HDMV_PGS_SUBTITLE,
        AV_CODEC_ID_SMPTE_KLV, AV_CODEC_ID_TIMED_ID3,
    ]

    /// Returns whether the container holds video of a codec.
    func takes(_ codec: AVCodecID) -> Bool {
        // The muxer accepts codecs without a stream type, too, as data that no player reads.
        if self == .mpegts, !Self.transportStreamCodecs.contains(codec) { return false }
        let muxer = unsafe av_guess_format(muxerName, nil, nil)
        return unsafe avformat_query_codec(muxer, codec, FF_COMPLIANCE_NORMAL) != 0
    }

    /// Returns the message for a codec that the container does not hold, without the output's name.
    func refusal(of codec: VideoCodec) -> String {
        "\(displayName) cannot hold \(codec.rawValue) video; choose another codec or extension"
    }
}
