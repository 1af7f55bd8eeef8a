internal import CFFmpeg
package import Raster

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
