internal import CFFmpeg

/// What FFmpeg on this machine is and can do.
package enum MediaLibraries {
    /// The versions of the libraries in use by their names, such as `libavcodec`: `59.37.100`.
    package static var versions: [String: String] {
        let libraries = [
            ("libavformat", avformat_version()), ("libavcodec", avcodec_version()),
            ("libswscale", swscale_version()), ("libavutil", avutil_version()),
        ]
        return Dictionary(uniqueKeysWithValues: libraries).mapValues { version in
            "\(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"
        }
    }

    /// The encoders present for a codec by FFmpeg's names, the preferred one first.
    package static func encoders(for codec: VideoCodec) -> [String] {
        usableEncoders(for: codec).filter { unsafe avcodec_find_encoder_by_name($0) != nil }
    }

    /// The encoders that could be used for a codec by FFmpeg's names, present or not, the preferred one first.
    package static func usableEncoders(for codec: VideoCodec) -> [String] {
        switch codec {
        case .h264: ["libx264"]
        case .hevc: ["libx265"]
        case .vp9: ["libvpx-vp9"]
        case .av1: ["libsvtav1", "libaom-av1"]
        }
    }
}
