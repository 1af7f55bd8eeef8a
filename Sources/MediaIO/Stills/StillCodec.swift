internal import CFFmpeg
internal import Platform
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
enum StillCodec {
    /// Encodes a picture.
    ///
    /// - Parameters:
    ///   - quality: A fixed quantiser on the codec's scale; nil if the encoder chooses.
    ///   - options: The options by FFmpeg's names.
    ///   - name: FFmpeg's name of the encoder; the usual one if nil, or if it is not present.
    static func encode(
        _ frame: borrowing FrameHandle, as id: AVCodecID, quality: Int? = nil, options: [(String, String)] = [],
        encoder name: String? = nil
    ) throws(MediaError) -> [UInt8] {
        MediaLog.prepare()
        guard let codec = name.flatMap(Codec.encoder(named:)) ?? Codec.encoder(for: id) else {
            throw MediaError(.noEncoder, file: "", "the installed FFmpeg cannot write this image format")
        }
        let encoder = try CodecContext(codec)
        encoder.color_range = frame.color_range
        encoder.colorspace = frame.colorspace
        encoder.color_primaries = frame.color_primaries
        encoder.color_trc = frame.color_trc
        if let quality {
            encoder.flags |= AV_CODEC_FLAG_QSCALE
            encoder.global_quality = Int32(quality) * FF_QP2LAMBDA
            encoder.qmin = min(encoder.qmin, Int32(quality))
            frame.quality = Int32(quality) * FF_QP2LAMBDA
        }
        encoder.width = frame.width
        encoder.height = frame.height
        encoder.pix_fmt = frame.pixelFormat
        encoder.time_base = AVRational(num: 1, den: 25)
        encoder.sample_aspect_ratio = frame.sample_aspect_ratio
        // The file must not contain FFmpeg's version.
        encoder.flags |= AV_CODEC_FLAG_BITEXACT
        try open(encoder, options)
        let packet = try PacketHandle()
        var status = encoder.send(frame)
        // An encoder with look-ahead outputs the picture at the end of the stream.
        if status >= 0, name != nil { status = encoder.sendEnd() }
        try check(status >= 0 ? encoder.receive(packet).status : status) { status in
            MediaError(.internal, file: "", "an image could not be encoded", detail: MediaError.text(of: status))
        }
        return packet.bytes
    }

    /// Decodes one picture.
    static func decode(
        _ bytes: [UInt8], as id: AVCodecID, options: [(String, String)] = []
    ) throws(MediaError) -> FrameHandle {
        MediaLog.prepare()
        guard let codec = DecoderList.pictureDecoder(for: id) else {
            let name = unsafe String(cString: avcodec_get_name(id))
            throw MediaError(.noDecoder, file: "", "the installed FFmpeg cannot read \(name) images")
        }
        let decoder = try CodecContext(codec)
        try open(decoder, options)
        let frame = try FrameHandle()
        let status = decoder.send(try PacketHandle.holding(bytes))
        try check(status >= 0 ? decoder.receive(frame).status : status) { status in
            MediaError(.damaged, file: "", "an image could not be decoded", detail: MediaError.text(of: status))
        }
        return frame
    }

    private static func open(
        _ context: borrowing CodecContext, _ options: [(String, String)]
    ) throws(MediaError) {
        try check(context.open(try OptionDictionary(options))) { status in
            MediaError(.internal, file: "", "an image codec cannot be opened", detail: MediaError.text(of: status))
        }
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
        let image = RGBAImage(
            try FrameConverter().convert(
                frame, width: Int(frame.width), height: Int(frame.height), to: AV_PIX_FMT_RGBA, pool: FramePool()))
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
            let end = place + 12 + (png.bigEndian(at: place, count: 4) ?? 0)
            guard end <= png.count else { return result + png[place...] }
            if kept.contains(String(decoding: png[place + 4..<place + 8], as: UTF8.self)) { result += png[place..<end] }
            place = end
        }
        return result
    }
}
