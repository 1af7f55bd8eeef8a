internal import CFFmpeg

/// A decoder or an encoder of FFmpeg. Codecs are constants of the library. ``DecoderList`` looks up decoders.
///
/// `AVCodec`
@safe
struct Codec {
    let pointer: UnsafePointer<AVCodec>

    /// - Precondition: The codec is one of FFmpeg's own.
    @unsafe
    init(_ pointer: UnsafePointer<AVCodec>) { unsafe self.pointer = unsafe pointer }

    /// Looks up an encoder by FFmpeg's name.
    static func encoder(named name: String) -> Codec? {
        unsafe avcodec_find_encoder_by_name(name).map { unsafe Codec($0) }
    }

    /// Looks up FFmpeg's preferred encoder for a codec.
    static func encoder(for id: AVCodecID) -> Codec? { unsafe avcodec_find_encoder(id).map { unsafe Codec($0) } }

    var name: String { unsafe String(cString: pointer.pointee.name) }
    var id: AVCodecID { unsafe pointer.pointee.id }

    /// The pixel formats that an encoder announces; empty if it accepts all.
    var pixelFormats: [AVPixelFormat] {
        guard var entry = unsafe cffmpeg_pixel_formats(pointer) else { return [] }
        var formats: [AVPixelFormat] = []
        while unsafe entry.pointee != AV_PIX_FMT_NONE {
            formats.append(unsafe entry.pointee)
            unsafe entry += 1
        }
        return formats
    }
}
