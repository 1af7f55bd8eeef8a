internal import CFFmpeg
package import Raster

/// Draws the files of sprites.
extension RGBAImage {
    /// Draws a sprite, an SVG, PNG or WebP file's bytes, on a transparent background.
    ///
    /// - Parameters:
    ///   - width: The width, to which vector graphics are drawn.
    ///   - height: The height. Pictures with fewer rows keep their size.
    /// - throws: ``MediaError`` of the codes `noDecoder`, `damaged`, `tooLarge`, `internal`.
    package static func sprite(_ bytes: [UInt8], width: Int, height: Int) throws(MediaError) -> RGBAImage {
        let codec: AVCodecID
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            codec = AV_CODEC_ID_PNG
        } else if bytes.starts(with: [0x52, 0x49, 0x46, 0x46]) {
            codec = AV_CODEC_ID_WEBP
        } else {
            return try rasterizeSVG(bytes, width: width, height: height)
        }
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

    /// Returns the image at a smaller size. Each pixel is the mean of those that it covers, weighted by their opacity.
    func reduced(width: Int, height: Int) -> RGBAImage {
        var result = RGBAImage(width: width, height: height)
        for y in 0..<height {
            let rows = y * self.height / height..<max((y + 1) * self.height / height, y * self.height / height + 1)
            for x in 0..<width {
                let left = x * self.width / width
                let columns = left..<max((x + 1) * self.width / width, left + 1)
                var (sums, alpha) = ((0, 0, 0), 0)
                for row in rows {
                    for column in columns {
                        let at = (row * self.width + column) * 4
                        let share = Int(pixels[at + 3])
                        sums.0 += Int(pixels[at]) * share
                        sums.1 += Int(pixels[at + 1]) * share
                        sums.2 += Int(pixels[at + 2]) * share
                        alpha += share
                    }
                }
                guard alpha > 0 else { continue }
                let at = (y * width + x) * 4
                result.pixels[at] = UInt8((sums.0 + alpha / 2) / alpha)
                result.pixels[at + 1] = UInt8((sums.1 + alpha / 2) / alpha)
                result.pixels[at + 2] = UInt8((sums.2 + alpha / 2) / alpha)
                let count = rows.count * columns.count
                result.pixels[at + 3] = UInt8((alpha + count / 2) / count)
            }
        }
        return result
    }
}
