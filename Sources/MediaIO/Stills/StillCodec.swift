internal import CFFmpeg
package import Raster

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

    /// True if the format can store a high dynamic range.
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
        let owned = Packet(try PacketHandle(file: ""))
        let packet = unsafe owned.av.pointer
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
        guard let codec = unsafe DecoderList.pictureDecoder(for: id) else {
            let name = unsafe String(cString: avcodec_get_name(id))
            throw MediaError(.noDecoder, file: "", "the installed FFmpeg cannot read \(name) images")
        }
        let decoder = unsafe try StillCodec(codec, options: options) { _ in }
        let owned = Packet(try PacketHandle(file: ""))
        let packet = unsafe owned.av.pointer
        guard unsafe av_new_packet(packet, Int32(bytes.count)) >= 0 else { throw .outOfMemory("") }
        for i in bytes.indices { unsafe packet.pointee.data[i] = bytes[i] }
        let frame = try AVFrameBox()
        var status = unsafe avcodec_send_packet(decoder.context, owned.av.pointer)
        if status >= 0 { status = unsafe avcodec_receive_frame(decoder.context, frame.av) }
        if status < 0 {
            throw MediaError(.damaged, file: "", "an image could not be decoded", detail: MediaError.text(of: status))
        }
        return frame
    }
}

/// Draws the files of sprites.
extension RGBAImage {
    /// Draws a sprite, an SVG, PNG, WebP or GIF file's bytes, on a transparent background. Of animations, the first
    /// frame is drawn.
    ///
    /// - Parameters:
    ///   - width: The width, to which vector graphics are drawn.
    ///   - height: The height. Pictures with fewer rows keep their size.
    /// - throws: ``MediaError`` of the codes `noDecoder`, `damaged`, `tooLarge`, `internal`.
    package static func sprite(_ bytes: [UInt8], width: Int, height: Int) throws(MediaError) -> RGBAImage {
        guard let codec = codec(of: bytes) else { return try rasterizeSVG(bytes, width: width, height: height) }
        // The decoder refuses a picture that is larger than its header has stated to the check.
        let plain = codec == AV_CODEC_ID_PNG ? withoutExtras(bytes) : bytes
        let frame = try StillCodec.decode(plain, as: codec, options: [("max_pixels", "\(greatestPixels)")])
        let converted = unsafe AVFrameBox(
            owned: try FrameConverter().convert(
                frame.av, width: Int32(frame.width), height: Int32(frame.height), to: AV_PIX_FMT_RGBA,
                pool: FramePool()))
        var image = RGBAImage(width: converted.width, height: converted.height)
        for y in 0..<image.height {
            let row = unsafe converted.row(y)
            for x in 0..<image.width * 4 { image.pixels[y * image.width * 4 + x] = unsafe row[x] }
        }
        return image.height > height ? image.reduced(width: width, height: height) : image
    }

    /// Returns whether a sprite's file holds pixels rather than vector graphics.
    package static func isPicture(_ bytes: [UInt8]) -> Bool { codec(of: bytes) != nil }

    private static func codec(of bytes: [UInt8]) -> AVCodecID? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return AV_CODEC_ID_PNG }
        if bytes.starts(with: [0x52, 0x49, 0x46, 0x46]) { return AV_CODEC_ID_WEBP }
        return bytes.starts(with: [0x47, 0x49, 0x46, 0x38]) ? AV_CODEC_ID_GIF : nil
    }

    private static let greatestPixels = 2048 * 2048

    /// Returns a PNG file with only the chunks that make its pixels. Others, such as texts and profiles, may be
    /// compressed, and of any size when they are not.
    private static func withoutExtras(_ png: [UInt8]) -> [UInt8] {
        let kept: Set = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]
        var result = Array(png.prefix(8)), place = 8
        while place + 12 <= png.count {
            let end = place + 12 + png[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            guard end <= png.count else { return result + png[place...] }
            if kept.contains(String(decoding: png[place + 4..<place + 8], as: UTF8.self)) { result += png[place..<end] }
            place = end
        }
        return result
    }
}
