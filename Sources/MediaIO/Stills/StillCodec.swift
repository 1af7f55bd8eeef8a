internal import CFFmpeg

/// A kind of file that holds one picture.
package enum StillFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, webp, avif

    /// Creates the format of a file name's extension; nil for other extensions.
    package init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        switch name[name.index(after: dot)...].lowercased() {
        case "jpg", "jpeg": self = .jpeg
        case "png": self = .png
        case "webp": self = .webp
        case "avif": self = .avif
        default: return nil
        }
    }

    /// The file name extension, without the dot.
    package var pathExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// A Boolean value that indicates whether the format can store a high dynamic range.
    package var holdsHighDynamicRange: Bool { self == .avif }
}

/// Encodes one picture as one packet, or decodes it.
@safe
final class StillCodec {
    private let context: UnsafeMutablePointer<AVCodecContext>

    /// - Parameter options: The options by FFmpeg's names.
    private init(
        _ codec: UnsafePointer<AVCodec>, options: [(String, String)],
        prepare: (UnsafeMutablePointer<AVCodecContext>) -> Void
    ) throws(MediaError) {
        var dictionary: OpaquePointer? = nil
        defer { unsafe av_dict_free(&dictionary) }
        for (key, value) in options { try MediaError.demandMemory(unsafe av_dict_set(&dictionary, key, value, 0), "") }
        guard let fresh = unsafe avcodec_alloc_context3(codec) else { throw .outOfMemory("") }
        unsafe prepare(fresh)
        let status = unsafe avcodec_open2(fresh, codec, &dictionary)
        if status < 0 {
            var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe fresh
            unsafe avcodec_free_context(&closing)
            throw MediaError(
                .internal, file: "", "an image codec cannot be opened", detail: MediaError.text(of: status))
        }
        unsafe context = unsafe fresh
    }

    deinit {
        var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&closing)
    }

    /// Encodes a picture.
    ///
    /// - Parameters:
    ///   - quality: A fixed quantiser on the codec's scale; nil if the encoder chooses.
    ///   - options: The options by FFmpeg's names.
    ///   - name: FFmpeg's name of the encoder; the usual one if nil, or if it is not present.
    static func encode(
        _ frame: borrowing AVFrameBox, as id: AVCodecID, format: AVPixelFormat, quality: Int? = nil,
        options: [(String, String)] = [], encoder name: String? = nil
    ) throws(MediaError) -> [UInt8] {
        MediaLog.prepare()
        let named = unsafe name.flatMap { unsafe avcodec_find_encoder_by_name($0) }
        guard let codec = unsafe named ?? avcodec_find_encoder(id) else {
            throw MediaError(.noEncoder, file: "", "the installed FFmpeg cannot write this image format")
        }
        let (width, height) = (Int32(frame.width), Int32(frame.height))
        let encoder = unsafe try StillCodec(codec, options: options) { context in
            unsafe context.pointee.color_range = frame.av.pointee.color_range
            unsafe context.pointee.colorspace = frame.av.pointee.colorspace
            unsafe context.pointee.color_primaries = frame.av.pointee.color_primaries
            unsafe context.pointee.color_trc = frame.av.pointee.color_trc
            if let quality {
                unsafe context.pointee.flags |= AV_CODEC_FLAG_QSCALE
                unsafe context.pointee.global_quality = Int32(quality) * FF_QP2LAMBDA
                unsafe context.pointee.qmin = min(context.pointee.qmin, Int32(quality))
            }
            unsafe context.pointee.width = width
            unsafe context.pointee.height = height
            unsafe context.pointee.pix_fmt = format
            unsafe context.pointee.time_base = AVRational(num: 1, den: 25)
            unsafe context.pointee.sample_aspect_ratio = frame.av.pointee.sample_aspect_ratio
            // The file must not contain FFmpeg's version.
            unsafe context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
        }
        guard let packet = unsafe av_packet_alloc() else { throw .outOfMemory("") }
        let owned = unsafe Packet(owned: packet)
        if let quality { unsafe frame.av.pointee.quality = Int32(quality) * FF_QP2LAMBDA }
        var status = unsafe avcodec_send_frame(encoder.context, frame.av)
        // An encoder with look-ahead outputs the picture at the end of the stream.
        if status >= 0, name != nil { status = unsafe avcodec_send_frame(encoder.context, nil) }
        if status >= 0 { status = unsafe avcodec_receive_packet(encoder.context, packet) }
        if status < 0 {
            throw MediaError(.internal, file: "", "an image could not be encoded", detail: MediaError.text(of: status))
        }
        return owned.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// Decodes one picture.
    static func decode(
        _ bytes: [UInt8], as id: AVCodecID, options: [(String, String)]
    ) throws(MediaError) -> AVFrameBox {
        MediaLog.prepare()
        guard let codec = unsafe avcodec_find_decoder(id) else {
            let name = unsafe String(cString: avcodec_get_name(id))
            throw MediaError(.noDecoder, file: "", "the installed FFmpeg cannot read \(name) images")
        }
        let decoder = unsafe try StillCodec(codec, options: options) { _ in }
        guard let packet = unsafe av_packet_alloc() else { throw .outOfMemory("") }
        let owned = unsafe Packet(owned: packet)
        guard unsafe av_new_packet(packet, Int32(bytes.count)) >= 0 else { throw .outOfMemory("") }
        for i in bytes.indices { unsafe packet.pointee.data[i] = bytes[i] }
        let frame = try AVFrameBox()
        var status = unsafe avcodec_send_packet(decoder.context, owned.av)
        if status >= 0 { status = unsafe avcodec_receive_frame(decoder.context, frame.av) }
        if status < 0 {
            throw MediaError(.damaged, file: "", "an image could not be decoded", detail: MediaError.text(of: status))
        }
        return frame
    }
}
