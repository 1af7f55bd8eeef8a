internal import CFFmpeg
internal import Platform

/// The settings of a video encoder. The encoder chooses the values that are nil.
package struct VideoEncoderSettings: Sendable, Hashable {
    package var codec: VideoCodec
    /// Constant quality: lower is better. By default it is 23 for H.264, 28 for HEVC, 32 for VP9 and 35 for AV1, unless
    /// a bit rate is given.
    package var crf: Double?
    /// Bits a second.
    package var bitRate: Int?
    /// True if `bitRate` is kept in each second, not only on average over the file. Only then can
    /// ``VideoEncoder/adjust(_:)`` change the rate.
    package var isConstantRate = false
    /// The coarsest quantiser that a frame may have, 1…51, whatever the bit rate is; H.264 only.
    package var maxQP: Int?
    /// True if each picture is output as soon as it is coded, without look-ahead.
    package var isLowLatency = false
    /// True if frames have ``VideoFrame/regions``.
    package var usesRegions: Bool
    /// True if messages of ``VideoFrame/embed(_:uuid:)`` are written; H.264 and HEVC only.
    package var embedsMessages = false
    /// The encoder's own preset name. The default is `veryfast` for H.264 and HEVC. For VP9 (`cpu-used`) and AV1 it is
    /// a number, by default 6 and 10.
    package var preset: String?
    /// FFmpeg's name of a pixel format, such as `yuv420p`. The default is the source's format, or the nearest format
    /// that the encoder accepts.
    package var pixelFormat: String?
    /// The maximum number of pixels of a picture's shorter side; larger pictures are scaled down.
    package var shorterSide: Int?
    /// The number of the encoder's threads; 0 lets the encoder choose.
    package var threads: Int
    /// Options of the encoder by FFmpeg's names, which override all other settings.
    package var extraOptions: [String: String] = [:]
    /// FFmpeg's name of an encoder that replaces the codec's usual one.
    package var encoderName: String?
    /// The coding of pictures with alpha, which overrides `codec`, `crf` and `preset`.
    package var transparency: TransparentCoding?
    /// The parameters that make packets fit between another stream's packets; nil for an independent stream.
    package var spliced: SplicedCoding?

    package init(
        codec: VideoCodec = .h264, crf: Double? = nil, bitRate: Int? = nil, usesRegions: Bool = false,
        preset: String? = nil, threads: Int = 0
    ) {
        self.codec = codec
        self.crf = crf
        self.bitRate = bitRate
        self.usesRegions = usesRegions
        self.preset = preset
        self.threads = threads
    }

    /// The constant quality, used unless a bit rate is set.
    package var usedCRF: Double {
        if let crf { return crf }
        return switch codec {
        case .h264: 23
        case .hevc: 28
        case .vp9: 32
        case .av1: 35
        }
    }
}

/// Checks of settings that do not need a picture.
extension VideoEncoder {
    /// Returns the presets of a codec's encoders; an empty array if they take none.
    package static func presets(for codec: VideoCodec) -> [String] {
        // The first encoder's presets are enough, since an encoder that replaces the first also accepts them.
        MediaLibraries.usableEncoders(for: codec).first.map(presets) ?? []
    }

    /// Returns the reason why a codec's encoders do not accept a preset; nil if they do, or if they have none.
    package static func fault(ofPreset name: String, for codec: VideoCodec) -> String? {
        let known = presets(for: codec)
        if known.isEmpty || known.contains(name) { return nil }
        return "unknown preset \(name) of \(codec.rawValue); \(name.suggestion(among: known))use one of "
            + known.joined(separator: ", ")
    }

    /// Returns the reason why pictures of a format are not written; nil if there is none.
    ///
    /// - Parameter name: FFmpeg's name of the pixel format.
    package static func fault(ofPixelFormat name: String) -> String? {
        let format = PixelFormat.named(name)
        if format == AV_PIX_FMT_NONE { return "unknown pixel format \(name); use one such as yuv420p" }
        return PixelFormat.native(format) != nil
            ? nil : "the pixel format \(name) is not supported for output; use one such as yuv420p or yuv420p10le"
    }

    /// Returns the reason why an encoder cannot be opened for a container, regardless of the pictures; nil if it can.
    ///
    /// - Parameter container: The container of the output.
    package static func fault(of settings: VideoEncoderSettings, in container: ContainerFormat) -> String? {
        guard !container.isUncompressed else { return nil }
        let encoders = MediaLibraries.usableEncoders(for: settings.codec)
        let present = encoders.compactMap(Codec.encoder(named:))
        guard let first = present.first else { return nil }
        if !container.supports(first.id) { return container.refusal(of: settings.codec) }
        if let preset = settings.preset, let fault = fault(ofPreset: preset, for: settings.codec) { return fault }
        guard let name = settings.pixelFormat else { return nil }
        let format = PixelFormat.named(name)
        let isTaken = present.contains { $0.pixelFormats.isEmpty || $0.pixelFormats.contains(format) }
        return isTaken ? nil : "the encoder \(encoders[0]) does not support the pixel format \(name)"
    }
}

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
