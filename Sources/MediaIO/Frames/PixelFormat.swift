internal import CFFmpeg
internal import Raster

/// The pixel formats on which effects are drawn directly, and the conversions of all other formats to them.
enum PixelFormat {
    /// A format on which effects are drawn directly.
    struct Native: Hashable {
        var bitDepth: Int
        var chroma: ChromaSubsampling
        /// True for a `yuvj` format, whose name implies full range.
        var isAlwaysFullRange = false
    }

    /// Returns the properties of a format on which effects are drawn directly: planar Y′CbCr without alpha,
    /// little-endian.
    static func native(_ format: AVPixelFormat) -> Native? {
        switch format {
        case AV_PIX_FMT_YUV420P: Native(bitDepth: 8, chroma: .yuv420)
        case AV_PIX_FMT_YUV422P: Native(bitDepth: 8, chroma: .yuv422)
        case AV_PIX_FMT_YUV444P: Native(bitDepth: 8, chroma: .yuv444)
        case AV_PIX_FMT_YUVJ420P: Native(bitDepth: 8, chroma: .yuv420, isAlwaysFullRange: true)
        case AV_PIX_FMT_YUVJ422P: Native(bitDepth: 8, chroma: .yuv422, isAlwaysFullRange: true)
        case AV_PIX_FMT_YUVJ444P: Native(bitDepth: 8, chroma: .yuv444, isAlwaysFullRange: true)
        case AV_PIX_FMT_YUV420P10LE: Native(bitDepth: 10, chroma: .yuv420)
        case AV_PIX_FMT_YUV422P10LE: Native(bitDepth: 10, chroma: .yuv422)
        case AV_PIX_FMT_YUV444P10LE: Native(bitDepth: 10, chroma: .yuv444)
        case AV_PIX_FMT_YUV420P12LE: Native(bitDepth: 12, chroma: .yuv420)
        case AV_PIX_FMT_YUV422P12LE: Native(bitDepth: 12, chroma: .yuv422)
        case AV_PIX_FMT_YUV444P12LE: Native(bitDepth: 12, chroma: .yuv444)
        default: nil
        }
    }

    /// Returns the properties of a format with alpha that ``TransparentCoding`` uses. Pictures of these formats are
    /// created and encoded. Decoded pictures lose their alpha instead.
    static func transparent(_ format: AVPixelFormat) -> Native? {
        switch format {
        case AV_PIX_FMT_YUVA444P10LE: Native(bitDepth: 10, chroma: .yuv444)
        case AV_PIX_FMT_YUVA444P, AV_PIX_FMT_RGBA: Native(bitDepth: 8, chroma: .yuv444)
        case AV_PIX_FMT_YUVA420P: Native(bitDepth: 8, chroma: .yuv420)
        default: nil
        }
    }

    /// Returns FFmpeg's format for a depth and subsampling; depths between the native ones are rounded up.
    static func format(bitDepth: Int, chroma: ChromaSubsampling) -> AVPixelFormat {
        switch (bitDepth, chroma) {
        case (...8, .yuv420): AV_PIX_FMT_YUV420P
        case (...8, .yuv422): AV_PIX_FMT_YUV422P
        case (...8, .yuv444): AV_PIX_FMT_YUV444P
        case (9...10, .yuv420): AV_PIX_FMT_YUV420P10LE
        case (9...10, .yuv422): AV_PIX_FMT_YUV422P10LE
        case (9...10, .yuv444): AV_PIX_FMT_YUV444P10LE
        case (_, .yuv420): AV_PIX_FMT_YUV420P12LE
        case (_, .yuv422): AV_PIX_FMT_YUV422P12LE
        case (_, .yuv444): AV_PIX_FMT_YUV444P12LE
        }
    }

    /// Returns the format with FFmpeg's name; `AV_PIX_FMT_NONE` for unknown names.
    static func named(_ name: String) -> AVPixelFormat { unsafe av_get_pix_fmt(name) }

    /// Returns FFmpeg's name of a format, such as `yuv420p`.
    static func name(_ format: AVPixelFormat) -> String? { unsafe String(av_get_pix_fmt_name(format)) }

    /// Returns FFmpeg's description of a format, a constant.
    static func description(_ format: AVPixelFormat) -> AVPixFmtDescriptor? {
        unsafe av_pix_fmt_desc_get(format)?.pointee
    }

    /// Returns FFmpeg's flags of a format, such as `AV_PIX_FMT_FLAG_RGB`; 0 for unknown formats.
    static func flags(_ format: AVPixelFormat) -> Int32 {
        unsafe description(format).map { Int32(truncatingIfNeeded: unsafe $0.flags) } ?? 0
    }

    /// Returns whether pixels of the format are red, green and blue, or the numbers of such colours.
    static func isRGB(_ format: AVPixelFormat) -> Bool {
        flags(format) & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
    }

    /// Returns whether pixels of the format have alpha.
    static func hasAlpha(_ format: AVPixelFormat) -> Bool { flags(format) & AV_PIX_FMT_FLAG_ALPHA != 0 }

    /// Returns the properties that ``nearestNative(to:)`` does not keep, in words; nil if it keeps all of them.
    static func loss(from format: AVPixelFormat) -> String? {
        guard let description = unsafe description(format) else { return nil }
        if hasAlpha(format) { return "without transparency" }
        if flags(format) & AV_PIX_FMT_FLAG_RGB != 0 { return "with half the resolution of colour" }
        return unsafe description.comp.0.depth > 12 ? "with 12 bits a sample" : nil
    }

    /// Returns the reason why ``nearestNative(to:)`` has another depth or chroma format; nil if both are the same.
    ///
    /// Coded streams state depth and chroma format once, so a part of a stream cannot have others.
    static func change(from format: AVPixelFormat) -> String? {
        let nearest = nearestNative(to: format)
        guard let from = unsafe description(format), let to = unsafe description(nearest) else { return nil }
        if unsafe from.nb_components < 3 { return "its frames have no colour, but effects do" }
        let isSame =
            unsafe from.comp.0.depth == to.comp.0.depth && from.log2_chroma_w == to.log2_chroma_w
            && from.log2_chroma_h == to.log2_chroma_h
        guard !isSame else { return nil }
        let names = unsafe (String(cString: from.name), String(cString: to.name))
        return "effects cannot be drawn on \(names.0), only on \(names.1)"
    }

    /// Returns the native format that keeps as much as possible of another format.
    ///
    /// Depth and chroma resolution are never lowered, except that RGB and palettes become 4:2:0, which every player can
    /// show. Alpha is dropped.
    static func nearestNative(to format: AVPixelFormat) -> AVPixelFormat {
        guard let description = unsafe description(format) else { return AV_PIX_FMT_YUV420P }
        let depth = unsafe Int(description.comp.0.depth)
        let isColourful = unsafe description.nb_components >= 3
        guard isColourful, !isRGB(format) else { return self.format(bitDepth: depth, chroma: .yuv420) }
        let (x, y) = unsafe (description.log2_chroma_w, description.log2_chroma_h)
        let chroma: ChromaSubsampling = x == 0 ? .yuv444 : y == 0 ? .yuv422 : .yuv420
        return self.format(bitDepth: depth, chroma: chroma)
    }
}

extension TransferFunction {
    /// Returns the transfer function of a frame; untagged frames have a standard dynamic range.
    init(_ transfer: AVColorTransferCharacteristic) {
        switch transfer {
        case AVCOL_TRC_SMPTE2084: self = .pq
        case AVCOL_TRC_ARIB_STD_B67: self = .hlg
        default: self = .sdr
        }
    }
}

extension ColourPrimaries {
    /// Returns the primaries of a frame; untagged frames have the primaries that belong to the matrix.
    init(_ primaries: AVColorPrimaries, matrix: ColourMatrix) {
        let isWide = primaries == AVCOL_PRI_BT2020 || primaries == AVCOL_PRI_UNSPECIFIED && matrix == .bt2020
        self = isWide ? .bt2020 : .bt709
    }
}

extension ColourMatrix {
    /// Returns the matrix of a frame. If it is not tagged, it follows from the size, as in players: BT.709 for 720 rows
    /// and more, otherwise BT.601.
    init(_ space: AVColorSpace, height: Int) {
        switch space {
        case AVCOL_SPC_BT709: self = .bt709
        case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M, AVCOL_SPC_FCC: self = .bt601
        case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: self = .bt2020
        default: self = height >= 720 ? .bt709 : .bt601
        }
    }

    /// FFmpeg's number of the matrix, which is the code point of ITU-T H.273.
    var avColorSpace: AVColorSpace {
        switch self {
        case .bt601: AVCOL_SPC_SMPTE170M
        case .bt709: AVCOL_SPC_BT709
        case .bt2020: AVCOL_SPC_BT2020_NCL
        }
    }
}
