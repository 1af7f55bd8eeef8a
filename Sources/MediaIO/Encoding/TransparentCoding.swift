internal import CFFmpeg

/// The coding of pictures with transparency, which depends on the container.
package enum TransparentCoding: String, Sendable, Hashable, CaseIterable {
    /// VP9 with a second picture for alpha, in WebM.
    case vp9
    /// ProRes 4444, in QuickTime files.
    case proRes
    /// FFV1, a lossless codec, in Matroska.
    case ffv1
    /// Uncompressed RGBA, for pipes.
    case raw

    /// - Returns: nil if the container holds no transparency that players support.
    package init?(_ container: ContainerFormat) {
        switch container {
        case .webm: self = .vp9
        case .mov: self = .proRes
        case .matroska: self = .ffv1
        case .nut, .rawvideo: self = .raw
        default: return nil
        }
    }

    /// FFmpeg's name of the encoder.
    var encoder: String {
        switch self {
        case .vp9: "libvpx-vp9"
        case .proRes: "prores_ks"
        case .ffv1: "ffv1"
        case .raw: "rawvideo"
        }
    }

    /// The pixel format of the encoder's input.
    var pixelFormat: AVPixelFormat {
        switch self {
        case .vp9: AV_PIX_FMT_YUVA420P
        case .proRes: AV_PIX_FMT_YUVA444P10LE
        case .ffv1: AV_PIX_FMT_YUVA444P
        case .raw: AV_PIX_FMT_RGBA
        }
    }

    /// The encoder's options by FFmpeg's names.
    var options: [String: String] {
        switch self {
        // libvpx encodes alpha as a second stream. Hidden reference pictures would desynchronise the streams, so
        // `auto-alt-ref` is 0.
        case .vp9: ["crf": "24", "b": "0", "deadline": "realtime", "cpu-used": "8", "row-mt": "1", "auto-alt-ref": "0"]
        case .proRes: ["profile": "4444", "alpha_bits": "16", "vendor": "apl0"]
        case .ffv1: ["level": "3", "slices": "4", "slicecrc": "1"]
        case .raw: [:]
        }
    }
}
