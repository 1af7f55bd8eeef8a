/// The containers that can be written, chosen by the file name's extension.
package enum ContainerFormat: String, Sendable, Hashable, CaseIterable {
    case mp4, mov, matroska, webm, mpegts, avi

    /// Nil where the extension stands for none of them.
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
        default: return nil
        }
    }

    /// The extensions a message can offer.
    package static let extensions = ["mp4", "m4v", "mov", "mkv", "webm", "ts", "m2ts", "mts", "avi"]

    /// As people call it.
    package var displayName: String {
        switch self {
        case .mp4: "MP4"
        case .mov: "QuickTime"
        case .matroska: "Matroska"
        case .webm: "WebM"
        case .mpegts: "MPEG-TS"
        case .avi: "AVI"
        }
    }

    /// FFmpeg's name of the muxer.
    var muxerName: String { rawValue }

    /// Whether pictures may be stored in another order than they are shown in.
    var keepsReorderedTimes: Bool { self != .avi }

    /// Whether a file can say how players must turn the picture.
    var holdsDisplayMatrix: Bool { self == .mp4 || self == .mov }

    /// Whether codec headers stand once in the file's header instead of before key frames.
    var wantsGlobalHeader: Bool { self != .mpegts && self != .avi }

    /// The codec that fits best where the caller has no wish.
    package var usualCodec: VideoCodec { self == .webm ? .vp9 : .h264 }
}
