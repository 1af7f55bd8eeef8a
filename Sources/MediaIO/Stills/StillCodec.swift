internal import CFFmpeg

/// A codec that turns one picture into one packet, or back.
@safe
final class StillCodec {
    private let context: UnsafeMutablePointer<AVCodecContext>

    /// - Parameter options: by FFmpeg's names.
    private init(
        _ codec: UnsafePointer<AVCodec>, options: [(String, String)],
        prepare: (UnsafeMutablePointer<AVCodecContext>) -> Void
    ) throws(MediaError) {
        guard let fresh = unsafe avcodec_alloc_context3(codec) else { throw .outOfMemory("") }
        unsafe prepare(fresh)
        var dictionary: OpaquePointer? = nil
        defer { unsafe av_dict_free(&dictionary) }
        for (key, value) in options { unsafe av_dict_set(&dictionary, key, value, 0) }
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

    /// Encodes a picture of packed pixels.
    static func encode(
        _ frame: borrowing AVFrameBox, as id: AVCodecID, format: AVPixelFormat
    ) throws(MediaError) -> [UInt8] {
        MediaLog.prepare()
        guard let codec = unsafe avcodec_find_encoder(id) else {
            throw MediaError(.noEncoder, file: "", "this machine's FFmpeg cannot write this kind of image")
        }
        let (width, height) = (Int32(frame.width), Int32(frame.height))
        let encoder = unsafe try StillCodec(codec, options: []) { context in
            unsafe context.pointee.width = width
            unsafe context.pointee.height = height
            unsafe context.pointee.pix_fmt = format
            unsafe context.pointee.time_base = AVRational(num: 1, den: 25)
        }
        guard let packet = unsafe av_packet_alloc() else { throw .outOfMemory("") }
        let owned = unsafe Packet(owned: packet)
        var status = unsafe avcodec_send_frame(encoder.context, frame.av)
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
            throw MediaError(.noDecoder, file: "", "this machine's FFmpeg cannot read \(name) images")
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
