internal import CFFmpeg

/// Checks of settings that need no picture.
extension VideoEncoder {
    /// Returns the presets of a codec's encoders; an empty array if they take none.
    package static func presets(for codec: VideoCodec) -> [String] {
        // An encoder that stands in for another takes the names of both.
        MediaLibraries.usableEncoders(for: codec).first.map(presets) ?? []
    }

    /// Returns the reason why a codec's encoders do not take a preset; nil if they do, or if they take none.
    package static func fault(ofPreset name: String, for codec: VideoCodec) -> String? {
        let known = presets(for: codec)
        if known.isEmpty || known.contains(name) { return nil }
        return "there is no preset \(name) of \(codec.rawValue); choose one of \(known.joined(separator: ", "))"
    }

    /// Returns the reason why no output has pictures of a format; nil if there is none.
    ///
    /// - Parameter name: FFmpeg's name of the pixel format.
    package static func fault(ofPixelFormat name: String) -> String? {
        let format = unsafe av_get_pix_fmt(name)
        if format == AV_PIX_FMT_NONE { return "there is no pixel format \(name); one is yuv420p" }
        return PixelFormat.native(format) != nil
            ? nil : "pictures are not written in the pixel format \(name); choose one such as yuv420p or yuv420p10le"
    }

    /// Returns the reason why an encoder cannot be opened for a container, whatever the pictures are; nil if it can.
    ///
    /// - Parameter container: The container of the output.
    package static func fault(of settings: VideoEncoderSettings, in container: ContainerFormat) -> String? {
        guard !container.isUncompressed else { return nil }
        let encoders = MediaLibraries.usableEncoders(for: settings.codec)
        let present = unsafe encoders.compactMap { unsafe avcodec_find_encoder_by_name($0) }
        guard let first = unsafe present.first else { return nil }
        if !Muxer.takes(unsafe first.pointee.id, container) {
            return Muxer.refusal(of: settings.codec, container)
        }
        if let preset = settings.preset, let fault = fault(ofPreset: preset, for: settings.codec) { return fault }
        guard let name = settings.pixelFormat else { return nil }
        let format = unsafe av_get_pix_fmt(name)
        let isTaken = unsafe present.contains { codec in
            let formats = unsafe pixelFormats(of: codec)
            return formats.isEmpty || formats.contains(format)
        }
        return isTaken ? nil : "the encoder \(encoders[0]) does not take the pixel format \(name)"
    }

    /// Returns the pixel formats that an encoder announces; an empty array if it takes all.
    @unsafe
    static func pixelFormats(of codec: UnsafePointer<AVCodec>) -> [AVPixelFormat] {
        var formats: [AVPixelFormat] = []
        if var entry = unsafe codec.pointee.pix_fmts {
            while unsafe entry.pointee != AV_PIX_FMT_NONE {
                formats.append(unsafe entry.pointee)
                unsafe entry += 1
            }
        }
        return formats
    }
}
