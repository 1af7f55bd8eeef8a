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
        let owned = Packet(try PacketHandle(file: path))
        let packet = unsafe owned.av.pointer
        while unsafe avcodec_receive_packet(codec, owned.av.pointer) >= 0 {
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

/// Up to 256 colours that represent all colours of an image.
///
/// Median cut (Heckbert, "Color image quantization for frame buffer display", 1982) over a histogram with 5 bits a
/// channel. Boxes are parts of the colour space. The box with the largest product of pixels and squared length is
/// halved at the median of its longest side, until there are enough boxes.
struct GIFPalette {
    /// The colours as red, green and blue.
    private(set) var colours: [(UInt8, UInt8, UInt8)] = []
    /// The nearest colour for each of the histogram's 32 768 cells, computed on first use.
    private var nearest = [Int16](repeating: -1, count: 32768)

    private struct Box {
        var cells: [Int]
        var pixels: Int
        var axis: Int
        var length: Int
    }

    init(of image: RGBAImage, count: Int = 256) {
        var histogram = [Int](repeating: 0, count: 32768)
        for i in stride(from: 0, to: image.pixels.count, by: 4) {
            histogram[Self.cell(Int(image.pixels[i]), Int(image.pixels[i + 1]), Int(image.pixels[i + 2]))] += 1
        }
        var boxes = [Self.box(histogram.indices.filter { histogram[$0] > 0 }, histogram)]
        while boxes.count < count {
            let widest = boxes.indices.max { Self.weight(boxes[$0]) < Self.weight(boxes[$1]) }
            guard let index = widest, boxes[index].cells.count > 1 else { break }
            let (low, high) = Self.halves(of: boxes[index], histogram)
            boxes[index] = Self.box(low, histogram)
            boxes.append(Self.box(high, histogram))
        }
        colours = boxes.map { Self.mean($0, histogram) }
    }

    /// Returns the index of the nearest colour; values outside 0…255 are clamped.
    mutating func index(red: Int, green: Int, blue: Int) -> UInt8 {
        let (r, g, b) = (min(255, max(0, red)), min(255, max(0, green)), min(255, max(0, blue)))
        let cell = Self.cell(r, g, b)
        if nearest[cell] < 0 {
            var best = 0, bestDistance = Int.max
            for (i, colour) in colours.enumerated() {
                // The weights approximate the eye's sensitivity to each channel.
                let (dr, dg, db) = (Int(colour.0) - r, Int(colour.1) - g, Int(colour.2) - b)
                let distance = 3 * dr * dr + 6 * dg * dg + db * db
                if distance < bestDistance { (best, bestDistance) = (i, distance) }
            }
            nearest[cell] = Int16(best)
        }
        return UInt8(nearest[cell])
    }

    private static func cell(_ r: Int, _ g: Int, _ b: Int) -> Int { (r >> 3) << 10 | (g >> 3) << 5 | b >> 3 }

    private static func channel(_ cell: Int, _ axis: Int) -> Int { cell >> (10 - 5 * axis) & 31 }

    private static func weight(_ box: Box) -> Int { box.pixels * box.length * box.length }

    private static func box(_ cells: [Int], _ histogram: [Int]) -> Box {
        var box = Box(cells: cells, pixels: cells.reduce(0) { $0 + histogram[$1] }, axis: 0, length: 0)
        for axis in 0..<3 {
            let values = cells.map { channel($0, axis) }
            let length = (values.max() ?? 0) - (values.min() ?? 0)
            if length > box.length { (box.axis, box.length) = (axis, length) }
        }
        return box
    }

    private static func halves(of box: Box, _ histogram: [Int]) -> ([Int], [Int]) {
        let sorted = box.cells.sorted {
            let (a, b) = (channel($0, box.axis), channel($1, box.axis))
            return a == b ? $0 < $1 : a < b
        }
        var sum = 0
        var cut = 0
        while cut < sorted.count - 1, sum + histogram[sorted[cut]] <= box.pixels / 2 || cut == 0 {
            sum += histogram[sorted[cut]]
            cut += 1
        }
        return (Array(sorted[..<cut]), Array(sorted[cut...]))
    }

    private static func mean(_ box: Box, _ histogram: [Int]) -> (UInt8, UInt8, UInt8) {
        func mean(_ axis: Int) -> UInt8 {
            let sum = box.cells.reduce(0) { $0 + histogram[$1] * (channel($1, axis) * 255 / 31) }
            return UInt8(sum / max(1, box.pixels))
        }
        return (mean(0), mean(1), mean(2))
    }
}
