internal import CFFmpeg
internal import Platform
package import Raster

/// Writes an animated GIF that repeats forever. Each picture has 256 colours of its own, dithered in a fixed pattern so
/// that static parts do not flicker.
///
/// Like ``Muxer``, it writes under a temporary name and renames the file at ``finish()``. A writer is used by one
/// thread at a time.
package final class GIFWriter {
    package let path: String
    private let width: Int
    private let height: Int
    private let temporary: String
    private let overwrite: Bool
    private let output: OutputContext
    private let codec: CodecContext
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
        guard let encoder = Codec.encoder(for: AV_CODEC_ID_GIF) else {
            TemporaryFile.forget(temporary)
            throw MediaError(.noEncoder, file: path, "\(path): the installed FFmpeg cannot write GIF")
        }
        do throws(MediaError) {
            codec = try CodecContext(encoder, file: path)
            codec.width = Int32(width)
            codec.height = Int32(height)
            codec.pix_fmt = AV_PIX_FMT_PAL8
            codec.time_base = frameRate.inverse.avRational
            let url = "file:" + temporary
            output = try OutputContext(format: "gif", url: url, file: path)
            let stream = try output.addStream(file: path)
            stream.time_base = codec.time_base
            var status = codec.open()
            if status >= 0 { status = unsafe codec.copyParameters(to: stream.parameters.pointer) }
            if status >= 0 { status = output.openFile(url) }
            if status >= 0 { status = output.writeHeader(try OptionDictionary()) }
            if status < 0 { throw .writing(path, status: status) }
        } catch {
            TemporaryFile.remove(temporary)
            throw error
        }
        self.path = path
        self.width = width
        self.height = height
        self.temporary = temporary
        self.overwrite = overwrite
    }

    deinit {
        output.closeFile()
        if !hasFinished { TemporaryFile.remove(temporary) }
    }

    /// Adds a picture, shown for one frame's time, without its alpha.
    /// - Precondition: The image has the writer's size.
    /// - throws: ``MediaError`` of the codes `diskFull`, `io`, `internal`.
    package func append(_ image: RGBAImage) throws(MediaError) {
        precondition(image.width == width && image.height == height)
        let frame = try FrameHandle.allocated(width: width, height: height, format: AV_PIX_FMT_PAL8)
        Self.quantise(image, into: frame)
        frame.pts = count
        count += 1
        try check(codec.send(frame)) { .writing(path, status: $0) }
        try drain()
    }

    /// Writes the end and gives the file its final name.
    /// - throws: ``MediaError`` of the codes `diskFull`, `io`, `unwritable`.
    package func finish() throws(MediaError) {
        _ = codec.sendEnd()
        try drain()
        let (status, closing) = (output.writeTrailer(), output.closeFile())
        try check(status >= 0 ? closing : status) { .writing(path, status: $0) }
        try MediaError.rephrasing { () throws(FileError) in
            try TemporaryFile.publish(temporary, as: path, overwrite: overwrite)
        }
        hasFinished = true
    }

    private func drain() throws(MediaError) {
        let packet = try PacketHandle(file: path)
        while codec.receive(packet) == .done {
            packet.rescale(from: codec.time_base, to: output.stream(0).time_base)
            packet.duration = 0
            packet.stream_index = 0
            try check(output.write(packet)) { .writing(path, status: $0) }
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

    private static func quantise(_ image: RGBAImage, into frame: borrowing FrameHandle) {
        var palette = GIFPalette(of: image)
        for (i, colour) in palette.colours.enumerated() {
            let packed = 255 << 24 | UInt32(colour.0) << 16 | UInt32(colour.1) << 8 | UInt32(colour.2)
            unsafe UnsafeMutableRawPointer(frame.plane(1)!).storeBytes(
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
