internal import CFFmpeg
internal import Platform
package import Raster

/// Writes an animated GIF that repeats forever. Each picture has 256 colours of its own, dithered in a fixed pattern so
/// that static parts do not flicker.
///
/// Like ``Muxer``, it writes under a temporary name and renames the file at ``finish()``. A writer is used by one
/// thread at a time.
@safe
package final class GIFWriter {
    package let path: String
    private let width: Int
    private let height: Int
    private let temporary: String
    private let overwrite: Bool
    private let format: UnsafeMutablePointer<AVFormatContext>
    private let codec: UnsafeMutablePointer<AVCodecContext>
    private var hasFinished = false
    private var count: Int64 = 0

    /// - Parameters:
    ///   - frameRate: The frames a second. GIF counts hundredths of a second, so 25/1 and 50/1 are exact.
    ///   - overwrite: Whether to replace a file that has the final name at the end.
    /// - throws: ``MediaError`` of the codes `unwritable`, `diskFull`, `noEncoder`, `internal`.
    package init(
        path: String, width: Int, height: Int, frameRate: Rational, overwrite: Bool = false
    ) throws(MediaError) {
        MediaLog.prepare()
        let temporary = try MediaError.rephrasing { () throws(FileError) in try TemporaryFile.reserve(for: path) }
        guard let encoder = unsafe avcodec_find_encoder(AV_CODEC_ID_GIF),
            let codec = unsafe avcodec_alloc_context3(encoder)
        else {
            TemporaryFile.forget(temporary)
            throw MediaError(.noEncoder, file: path, "\(path): the installed FFmpeg cannot write GIF")
        }
        unsafe codec.pointee.width = Int32(width)
        unsafe codec.pointee.height = Int32(height)
        unsafe codec.pointee.pix_fmt = AV_PIX_FMT_PAL8
        unsafe codec.pointee.time_base = frameRate.inverse.avRational
        var fresh: UnsafeMutablePointer<AVFormatContext>? = nil
        var status = unsafe avcodec_open2(codec, encoder, nil)
        if status >= 0 { status = unsafe avformat_alloc_output_context2(&fresh, nil, "gif", "file:" + temporary) }
        let stream = unsafe status < 0 ? nil : avformat_new_stream(fresh, nil)
        if status >= 0 { status = cffmpeg_error_enomem }
        if let stream = unsafe stream {
            unsafe stream.pointee.time_base = codec.pointee.time_base
            status = unsafe avcodec_parameters_from_context(stream.pointee.codecpar, codec)
            if status >= 0 { status = unsafe avio_open(&fresh!.pointee.pb, "file:" + temporary, AVIO_FLAG_WRITE) }
            if status >= 0 { status = unsafe avformat_write_header(fresh, nil) }
        }
        guard status >= 0, let format = unsafe fresh else {
            var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe codec
            unsafe avcodec_free_context(&closing)
            if let fresh = unsafe fresh { unsafe avio_closep(&fresh.pointee.pb) }
            unsafe avformat_free_context(fresh)
            TemporaryFile.remove(temporary)
            throw .writing(path, status: status)
        }
        self.path = path
        self.width = width
        self.height = height
        self.temporary = temporary
        self.overwrite = overwrite
        unsafe self.format = unsafe format
        unsafe self.codec = unsafe codec
    }

    deinit {
        var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe codec
        unsafe avcodec_free_context(&closing)
        unsafe avio_closep(&format.pointee.pb)
        unsafe avformat_free_context(format)
        if !hasFinished { TemporaryFile.remove(temporary) }
    }

    /// Adds a picture, shown for one frame's time, without its alpha.
    /// - Precondition: The image has the writer's size.
    /// - throws: ``MediaError`` of the codes `diskFull`, `io`, `internal`.
    package func append(_ image: RGBAImage) throws(MediaError) {
        precondition(image.width == width && image.height == height)
        let frame = try AVFrameBox(width: width, height: height, format: AV_PIX_FMT_PAL8)
        Self.quantise(image, into: frame)
        unsafe frame.av.pointee.pts = count
        count += 1
        let status = unsafe avcodec_send_frame(codec, frame.av)
        if status < 0 { throw .writing(path, status: status) }
        try drain()
    }

    /// Writes the end and gives the file its final name.
    /// - throws: ``MediaError`` of the codes `diskFull`, `io`, `unwritable`.
    package func finish() throws(MediaError) {
        unsafe avcodec_send_frame(codec, nil)
        try drain()
        var status = unsafe av_write_trailer(format)
        let closing = unsafe avio_closep(&format.pointee.pb)
        if status >= 0 { status = closing }
        if status < 0 { throw .writing(path, status: status) }
        try MediaError.rephrasing { () throws(FileError) in
            try TemporaryFile.publish(temporary, as: path, overwrite: overwrite)
        }
        hasFinished = true
    }

    private func drain() throws(MediaError) {
        guard let packet = unsafe av_packet_alloc() else { throw .outOfMemory(path) }
        let owned = unsafe Packet(owned: packet)
        while unsafe avcodec_receive_packet(codec, owned.av) >= 0 {
            unsafe av_packet_rescale_ts(packet, codec.pointee.time_base, format.pointee.streams[0]!.pointee.time_base)
            unsafe packet.pointee.duration = 0
            unsafe packet.pointee.stream_index = 0
            let status = unsafe av_interleaved_write_frame(format, packet)
            if status < 0 { throw .writing(path, status: status) }
        }
    }

    /// Bayer's matrix for dithering, 0…63. Its values determine the offsets of pixels of an 8×8 tile before their
    /// colours are chosen.
    private static let bayer: [Int] = (0..<64).map { place in
        let (x, y) = (place % 8, place / 8)
        let mixed = x ^ y
        return (0..<3).reduce(0) { sum, bit in
            sum | (y >> bit & 1) << (4 - 2 * bit) | (mixed >> bit & 1) << (5 - 2 * bit)
        }
    }

    private static func quantise(_ image: RGBAImage, into frame: borrowing AVFrameBox) {
        var palette = GIFPalette(of: image)
        for (i, colour) in palette.colours.enumerated() {
            let packed = 255 << 24 | UInt32(colour.0) << 16 | UInt32(colour.1) << 8 | UInt32(colour.2)
            unsafe UnsafeMutableRawPointer(frame.av.pointee.data.1!).storeBytes(
                of: packed, toByteOffset: i * 4, as: UInt32.self)
        }
        for y in 0..<image.height {
            let row = unsafe frame.row(y)
            for x in 0..<image.width {
                let at = (y * image.width + x) * 4
                let push = (bayer[y % 8 * 8 + x % 8] - 32) / 4
                unsafe row[x] = palette.index(
                    red: Int(image.pixels[at]) + push, green: Int(image.pixels[at + 1]) + push,
                    blue: Int(image.pixels[at + 2]) + push)
            }
        }
    }
}
