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
    /// WebRTC, which FFmpeg sends from release 8 on (WHIP, RFC 9725).
    case whip

    /// Properties of a container. A container has only the properties that it declares.
    struct Features: OptionSet, Sendable, Hashable {
        let rawValue: UInt16

        /// H.264, the default codec, can be stored.
        static let h264 = Features(rawValue: 1 << 0)
        /// AAC, the audio codec of Flourish's demo videos (of the *puppet*), can be stored.
        static let aac = Features(rawValue: 1 << 1)
        /// Frames can be stored in a different order than their presentation order.
        static let reorderedTimes = Features(rawValue: 1 << 2)
        /// Time stamps that are copied from other containers stay exact.
        static let exactTimes = Features(rawValue: 1 << 3)
        /// A file can hold chapters, the time code of its first frame, and names of tracks.
        static let descriptions = Features(rawValue: 1 << 4)
        /// A file can state the orientation of the picture.
        static let displayMatrix = Features(rawValue: 1 << 5)
        /// An edit list can hide frames.
        static let hiddenFrames = Features(rawValue: 1 << 6)
        /// Codec headers are stored once, in the file's header, instead of before key frames.
        static let globalHeader = Features(rawValue: 1 << 7)
        /// The muxer seeks back to write the beginning of the file last, so pipes cannot carry the container.
        static let seeking = Features(rawValue: 1 << 8)
        /// Frames are written uncompressed.
        static let uncompressed = Features(rawValue: 1 << 9)
        /// The container follows from the address, and no option names it.
        static let implied = Features(rawValue: 1 << 10)
        /// There is at most one audio stream.
        static let oneAudioStream = Features(rawValue: 1 << 11)
    }

    /// The properties of a container, except its muxer's options and the rules for copied streams.
    struct Traits: Sendable {
        /// The name shown to users.
        var displayName: String
        /// The usual short name, in addition to FFmpeg's name.
        var shortName: String?
        /// The usual extensions of its files, which messages offer.
        var extensions: [String]
        /// Further extensions of its files.
        var otherExtensions: [String] = []
        /// FFmpeg's name of the demuxer, if it differs from the muxer's name.
        var demuxerName: String?
        var features: Features
    }

    /// The declaration of each container. After a change, this command updates the pages and lists that are generated
    /// from it: `FLOURISH_UPDATE_PAGES=1 Scripts/test --filter "DeclaredListsTests|KeptTableTests"`
    var traits: Traits {
        switch self {
        case .mp4:
            Traits(
                displayName: "MP4", extensions: ["mp4", "m4v"], demuxerName: "mov",
                features: [
                    .h264, .aac, .reorderedTimes, .exactTimes, .descriptions, .displayMatrix, .hiddenFrames,
                    .globalHeader,
                ])
        case .mov:
            Traits(
                displayName: "QuickTime", extensions: ["mov"], otherExtensions: ["qt"],
                features: [
                    .h264, .aac, .reorderedTimes, .exactTimes, .descriptions, .displayMatrix, .hiddenFrames,
                    .globalHeader,
                ])
        case .matroska:
            Traits(
                displayName: "Matroska", shortName: "mkv", extensions: ["mkv"], otherExtensions: ["mk3d"],
                features: [.h264, .aac, .reorderedTimes, .exactTimes, .descriptions, .globalHeader])
        case .webm:
            Traits(
                displayName: "WebM", extensions: ["webm"], demuxerName: "matroska",
                features: [.reorderedTimes, .exactTimes, .descriptions, .globalHeader])
        case .mpegts:
            Traits(
                displayName: "MPEG-TS", shortName: "ts", extensions: ["ts", "m2ts", "mts"],
                features: [.h264, .aac, .reorderedTimes, .exactTimes])
        case .avi: Traits(displayName: "AVI", extensions: ["avi"], features: [.h264, .aac, .seeking])
        case .nut:
            Traits(
                displayName: "NUT", extensions: ["nut"],
                features: [.h264, .aac, .reorderedTimes, .exactTimes, .descriptions, .globalHeader])
        case .flv:
            Traits(
                displayName: "FLV", extensions: ["flv"],
                features: [.h264, .aac, .reorderedTimes, .globalHeader, .oneAudioStream])
        case .yuv4mpegpipe:
            Traits(
                displayName: "YUV4MPEG2", shortName: "y4m", extensions: ["y4m"], features: Self.uncompressedFeatures)
        case .rawvideo:
            Traits(displayName: "raw video", shortName: "raw", extensions: [], features: Self.uncompressedFeatures)
        case .v4l2:
            Traits(
                displayName: "a video device", extensions: [], features: Self.uncompressedFeatures.union([.implied]))
        case .whip:
            Traits(
                displayName: "WHIP", extensions: [],
                features: [.h264, .exactTimes, .globalHeader, .implied, .oneAudioStream])
        }
    }

    /// The features of containers of uncompressed frames, whose codec follows from the container.
    private static let uncompressedFeatures: Features = [.h264, .aac, .reorderedTimes, .exactTimes, .uncompressed]

    /// Creates a container from FFmpeg's name or a usual short name; nil if no container has this name.
    package init?(name: String) {
        guard
            let found = Self.allCases.first(where: {
                !$0.has(.implied) && ($0.rawValue == name || $0.traits.shortName == name)
            })
        else { return nil }
        self = found
    }

    /// The names that messages offer.
    package static let names = allCases.filter { !$0.has(.implied) }.map(\.rawValue)

    /// The names of the containers that pipes and connections carry.
    package static let streamedNames = allCases.filter { !$0.has(.implied) && !$0.needsSeeking }.map(\.rawValue)

    /// - Returns: Nil if the extension belongs to no container.
    package init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        guard let found = Self.allCases.first(where: { $0.allExtensions.contains(ending) }) else { return nil }
        self = found
    }

    /// Returns the container of an output; nil if its name must state the container, but does not.
    ///
    /// - Parameter format: The requested container. A video device and WebRTC always have their own.
    package static func chosen(for output: String, format: ContainerFormat? = nil) -> ContainerFormat? {
        switch MediaAddress(output) {
        case .standardStream: format ?? .nut
        case .file(let path): format ?? ContainerFormat(path: path) ?? (TemporaryFile.isSpecial(path) ? .nut : nil)
        case .network(let scheme, _): scheme.usualContainer == .whip ? .whip : format ?? scheme.usualContainer
        case .videoDevice: .v4l2
        case .unsupported: nil
        }
    }

    /// The extensions that messages offer.
    package static let extensions = allCases.flatMap(\.extensions)

    /// The extensions of the container's files that messages offer, the usual one first.
    package var extensions: [String] { traits.extensions }

    /// All extensions of the container's files.
    package var allExtensions: [String] { traits.extensions + traits.otherExtensions }

    /// Returns the error for an output whose name has no known extension.
    ///
    /// - Parameter others: Further extensions that are allowed.
    package static func unknown(_ path: String, others: [String] = []) -> MediaError {
        if path.isEmpty {
            return MediaError(
                .unknownOutputFormat, file: path, "the output's path is empty; name a file, such as out.mp4")
        }
        let known = (extensions + others).map { "." + $0 }.joined(separator: ", ")
        return MediaError(
            .unknownOutputFormat, file: path,
            "\(path): unknown output format; use one of the extensions \(known)")
    }

    /// The name shown to users.
    package var displayName: String { traits.displayName }

    /// FFmpeg's name of the muxer.
    var muxerName: String { rawValue }

    /// FFmpeg's name of the demuxer.
    var demuxerName: String { traits.demuxerName ?? rawValue }

    private func has(_ feature: Features) -> Bool { traits.features.contains(feature) }

    package var supportsH264: Bool { has(.h264) }
    package var supportsAAC: Bool { has(.aac) }
    var keepsReorderedTimes: Bool { has(.reorderedTimes) }
    package var keepsExactTimes: Bool { has(.exactTimes) }
    var holdsDescriptions: Bool { has(.descriptions) }
    var holdsDisplayMatrix: Bool { has(.displayMatrix) }
    package var hidesPictures: Bool { has(.hiddenFrames) }
    var wantsGlobalHeader: Bool { has(.globalHeader) }
    var needsSeeking: Bool { has(.seeking) }
    package var isUncompressed: Bool { has(.uncompressed) }
    var holdsOneAudioStream: Bool { has(.oneAudioStream) }
}

extension ContainerFormat {
    /// The codecs for which MPEG-TS has stream types: other codecs would be written as private data that no player
    /// reads.
    static let transportStreamCodecs: [AVCodecID] = [
        AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4,
        AV_CODEC_ID_VC1, AV_CODEC_ID_DIRAC, AV_CODEC_ID_CAVS,
        AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM,
        AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS, AV_CODEC_ID_TRUEHD, AV_CODEC_ID_OPUS,
        AV_CODEC_ID_S302M,
        AV_CODEC_ID_DVB_SUBTITLE, AV_CODEC_ID_DVB_TELETEXT, AV_CODEC_ID_HDMV_PGS_SUBTITLE,
        AV_CODEC_ID_SMPTE_KLV, AV_CODEC_ID_TIMED_ID3,
    ]

    /// Returns whether a transport stream's name asks for the form of Blu-ray discs and AVCHD cameras.
    static func isBluRay(_ path: String) -> Bool {
        let name = path.lowercased()
        return name.hasSuffix(".m2ts") || name.hasSuffix(".mts")
    }

    /// Returns whether the container holds video of a codec.
    func supports(_ codec: AVCodecID) -> Bool {
        // The muxer accepts codecs without a stream type, too, as data that no player reads.
        if self == .mpegts, !Self.transportStreamCodecs.contains(codec) { return false }
        // FFmpeg's muxer detects other codecs only after it has connected.
        if self == .whip { return codec == AV_CODEC_ID_H264 }
        let muxer = unsafe av_guess_format(muxerName, nil, nil)
        return unsafe avformat_query_codec(muxer, codec, FF_COMPLIANCE_NORMAL) != 0
    }

    /// Returns the message for a codec that the container does not hold, without the output's name.
    func refusal(of codec: VideoCodec) -> String {
        "\(displayName) does not support \(codec.rawValue) video; choose another codec or extension"
    }
}
