internal import CFFmpeg

/// What FFmpeg on this machine is and can do.
package enum MediaLibraries {
    /// The versions of the libraries in use by their names, such as `libavcodec`: `59.37.100`.
    package static var versions: [String: String] {
        let libraries = [
            ("libavformat", avformat_version()), ("libavcodec", avcodec_version()),
            ("libswscale", swscale_version()), ("libavutil", avutil_version()),
        ]
        return Dictionary(uniqueKeysWithValues: libraries).mapValues(text)
    }

    /// A version as FFmpeg writes it.
    private static func text(_ version: UInt32) -> String {
        "\(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"
    }

    /// What is wrong with the libraries in use, for people: they must be those that the program was built with, or newer
    /// ones of the same major version. Nil where nothing is.
    package static let fault: String? = fault(
        inUse: [avformat_version(), avcodec_version(), swscale_version(), avutil_version()],
        built: [cffmpeg_built_avformat, cffmpeg_built_avcodec, cffmpeg_built_swscale, cffmpeg_built_avutil])

    /// - Parameters:
    ///   - inUse: the versions of libavformat, libavcodec, libswscale and libavutil, as those tell them.
    ///   - built: those of the headers.
    static func fault(inUse: [UInt32], built: [UInt32]) -> String? {
        let names = ["libavformat", "libavcodec", "libswscale", "libavutil"]
        for (name, (now, then)) in zip(names, zip(inUse, built))
        where now >> 16 != then >> 16 || now >> 8 & 0xFF < then >> 8 & 0xFF {
            return "this machine's \(name) is \(text(now)), and the program was built with \(text(then)); "
                + "install FFmpeg as it was, or build the program anew"
        }
        return nil
    }

    /// - throws: ``MediaError`` of the code `noDecoder` where there is a ``fault``.
    static func check(_ path: String) throws(MediaError) {
        if let fault { throw MediaError(.noDecoder, file: path, "\(path): \(fault)") }
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
