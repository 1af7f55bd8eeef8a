internal import CFFmpeg
internal import Platform
package import Raster

extension RGBAImage {
    /// The image as a PNG file's bytes.
    /// - throws: ``MediaError`` of the codes `noEncoder`, `internal`.
    package func pngBytes() throws(MediaError) -> [UInt8] {
        try StillCodec.encode(try AVFrameBox.rgba(self), as: AV_CODEC_ID_PNG, format: AV_PIX_FMT_RGBA)
    }

    /// Writes a PNG file, whole or not at all.
    ///
    /// - Parameter overwrite: Whether it replaces what has the name already.
    /// - throws: ``MediaError`` of the codes `unwritable`, `diskFull`, `io`, `noEncoder`, `internal`.
    package func writePNG(to path: String, overwrite: Bool = false) throws(MediaError) {
        let bytes = try pngBytes()
        try MediaError.rephrasing { () throws(FileError) in
            _ = try TemporaryFile.write(bytes, to: path, overwrite: overwrite)
        }
    }

    /// Draws an SVG file's bytes at a size, stretched to it, on a transparent ground.
    ///
    /// FFmpeg's librsvg decoder
    ///
    /// - throws: ``MediaError`` of the codes `noDecoder`, `damaged`, `internal`.
    package static func rasterizeSVG(
        _ bytes: [UInt8], width: Int, height: Int
    ) throws(MediaError) -> RGBAImage {
        let frame = try StillCodec.decode(
            bytes, as: AV_CODEC_ID_SVG,
            options: [("width", "\(width)"), ("height", "\(height)"), ("keep_ar", "0")])
        // Cairo's ARGB32: premultiplied, and stored blue first on little-endian machines.
        let isBGRA = unsafe frame.av.pointee.format == AV_PIX_FMT_BGRA.rawValue
        guard isBGRA, frame.width == width, frame.height == height else {
            throw MediaError(.internal, file: "", "librsvg drew another size or format than it was asked for")
        }
        var image = RGBAImage(width: width, height: height)
        for y in 0..<height {
            let row = unsafe frame.row(y)
            for x in 0..<width {
                let alpha = unsafe Int(row[x * 4 + 3])
                guard alpha > 0 else { continue }
                let at = (y * width + x) * 4
                for channel in 0..<3 {
                    let premultiplied = unsafe Int(row[x * 4 + 2 - channel])
                    image.pixels[at + channel] = UInt8(min(255, (premultiplied * 255 + alpha / 2) / alpha))
                }
                image.pixels[at + 3] = UInt8(alpha)
            }
        }
        return image
    }
}
