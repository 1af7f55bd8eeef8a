internal import CFFmpeg
internal import Platform
package import Raster

/// Encodes frames as JPEG, PNG, WebP or AVIF files with metadata.
extension VideoFrame {
    /// Returns the picture, upright and with square pixels, as the bytes of an image file with colour tags and
    /// metadata.
    ///
    /// - Precondition: The frame's dynamic range is standard, unless the format supports more.
    /// - throws: ``MediaError`` of the codes `noEncoder`, `tooLarge`, `internal`.
    package borrowing func stillBytes(
        as format: StillFormat, metadata: StillMetadata, pool: FramePool = FramePool()
    ) throws(MediaError) -> [UInt8] {
        MediaLog.prepare()
        let upright = try squared(pool: pool)
        let (width, height) = (upright.width, upright.height)
        let isStandard = upright.pictureFormat.transfer == .sdr && upright.pictureFormat.primaries == .bt709
        let exif = ExifBlock(metadata, width: width, height: height, isStandard: isStandard).bytes
        switch format {
        case .jpeg:
            // JPEG's own colours are BT.601 in full range. A conversion through RGB allows another matrix.
            let target = upright.pictureFormat.chroma == .yuv444 ? AV_PIX_FMT_YUVJ444P : AV_PIX_FMT_YUVJ420P
            let coloured = try FrameConverter().convert(
                upright.converted(to: AV_PIX_FMT_RGB48LE, pool), width: width, height: height, to: target,
                matrix: .bt601, pool: pool)
            let coded = try StillCodec.encode(coloured, as: AV_CODEC_ID_MJPEG, quality: Self.jpegQuality)
            return StillContainer.jpeg(coded, exif: exif)
        case .png:
            let isDeep = upright.pictureFormat.bitDepth > 8
            let coloured = try upright.converted(to: isDeep ? AV_PIX_FMT_RGB48BE : AV_PIX_FMT_RGB24, pool)
            coloured.color_primaries = AVCOL_PRI_BT709
            coloured.color_trc = AVCOL_TRC_IEC61966_2_1
            return StillContainer.png(try StillCodec.encode(coloured, as: AV_CODEC_ID_PNG), exif: exif)
        case .webp:
            let coloured = try upright.converted(to: AV_PIX_FMT_BGRA, pool)
            let coded = try StillCodec.encode(
                coloured, as: AV_CODEC_ID_WEBP, options: [("quality", "92")], encoder: "libwebp")
            return StillContainer.webp(coded, exif: exif, width: width, height: height)
        case .avif:
            return try upright.avifBytes(exif: exif)
        }
    }

    /// The longest side that image formats support.
    private static let longestSide = 65_535.0

    /// The quality on FFmpeg's scale for JPEG, whose finest value is 1.
    private static let jpegQuality = 2

    /// Returns the picture upright and with square pixels.
    private borrowing func squared(pool: FramePool) throws(MediaError) -> VideoFrame {
        // A file may state any aspect ratio of pixels, and so lead to any size.
        let (uprightWidth, uprightHeight) = (geometry.uprightWidth, geometry.uprightHeight)
        guard max(uprightWidth, uprightHeight) <= Self.longestSide else {
            throw MediaError(
                .tooLarge, file: "",
                "the picture is too large for an image file: \(Int(uprightWidth))×\(Int(uprightHeight)) with square pixels"
            )
        }
        let turned: VideoFrame
        if orientation == .upright {
            turned = try shared()
        } else if orientation.quarterTurns % 2 == 1, pictureFormat.chroma == .yuv422 {
            // Rotated 4:2:2 would have its chroma halved vertically, which no program supports.
            let format = PixelFormat.format(bitDepth: pictureFormat.bitDepth, chroma: .yuv444)
            let whole = try converted(to: format, pool)
            turned = try VideoFrame(whole, time: time, duration: duration, orientation: orientation)
                .turnedUpright(pool: pool)
        } else {
            turned = try turnedUpright(pool: pool)
        }
        // The geometry is that of the unrotated picture. The rotated picture's geometry would scale the other side.
        let geometry = self.geometry
        let width = max(1, Int(geometry.uprightWidth.rounded())), height = max(1, Int(geometry.uprightHeight.rounded()))
        if width == turned.width, height == turned.height { return turned }
        let scaled = try FrameConverter().convert(
            turned.av, width: width, height: height, to: turned.av.pixelFormat, pool: pool)
        scaled.sample_aspect_ratio = AVRational(num: 1, den: 1)
        return VideoFrame(scaled, time: time, duration: duration, orientation: .upright)
    }

    /// Returns the stored picture in another pixel format.
    private borrowing func converted(to format: AVPixelFormat, _ pool: FramePool) throws(MediaError) -> FrameHandle {
        try FrameConverter().convert(av, width: width, height: height, to: format, pool: pool)
    }

    private borrowing func avifBytes(exif: [UInt8]) throws(MediaError) -> [UInt8] {
        let picture = try av.shared()
        // The encoder does not support the formats whose names imply full range; the samples are the same.
        let target = PixelFormat.format(bitDepth: pictureFormat.bitDepth, chroma: pictureFormat.chroma)
        picture.format = target.rawValue
        if pictureFormat.range == .full { picture.color_range = AVCOL_RANGE_JPEG }
        let coded = try StillCodec.encode(
            picture, as: AV_CODEC_ID_AV1,
            options: [("crf", "18"), ("b", "0"), ("cpu-used", "6"), ("still-picture", "1"), ("usage", "allintra")],
            encoder: "libaom-av1")
        // Pictures of standard dynamic range have BT.709's curve. ITU-T H.273 lists it under several numbers, but
        // viewers support only 1.
        let transfer =
            switch pictureFormat.transfer {
            case .sdr: 1
            case .pq: 16
            case .hlg: 18
            }
        guard let file = AVIFContainer(coded, format: pictureFormat) else {
            throw MediaError(.internal, file: "", "the AV1 encoder wrote no picture")
        }
        return file.bytes(exif: exif, transfer: transfer)
    }
}

extension VideoFrame {
    /// Returns the picture as it is shown, as the bytes of a JPEG file.
    ///
    /// - Parameters:
    ///   - height: The image's height in pixels, which determines the width.
    ///   - quality: The quantiser, 2…31, where 2 is the finest; `nil` if the encoder chooses.
    /// - throws: ``MediaError`` of the codes `noEncoder`, `internal`.
    package borrowing func jpegBytes(height: Int, quality: Int? = nil) throws(MediaError) -> [UInt8] {
        let image = try image(height: height)
        // JPEG's own colours are BT.601 in full range.
        let frame = try FrameConverter().convert(
            FrameHandle.rgba(image), width: image.width, height: image.height, to: AV_PIX_FMT_YUVJ420P,
            matrix: .bt601, pool: FramePool())
        return try StillCodec.encode(frame, as: AV_CODEC_ID_MJPEG, quality: quality)
    }
}

extension VideoFrame {
    /// Returns the stored picture as a PNG file's bytes, with its transparency if it has any.
    /// - throws: ``MediaError`` of the codes `noEncoder`, `internal`.
    package borrowing func pngBytes() throws(MediaError) -> [UInt8] {
        try StillCodec.encode(try converted(to: AV_PIX_FMT_RGBA, FramePool()), as: AV_CODEC_ID_PNG)
    }
}

extension RGBAImage {
    /// Returns the image as a PNG file's bytes.
    /// - throws: ``MediaError`` of the codes `noEncoder`, `internal`.
    package func pngBytes() throws(MediaError) -> [UInt8] {
        try StillCodec.encode(try FrameHandle.rgba(self), as: AV_CODEC_ID_PNG)
    }

    /// Writes a PNG file, completely or not at all.
    ///
    /// - Parameter overwrite: Whether to replace a file of that name.
    /// - throws: ``MediaError`` of the codes `unwritable`, `diskFull`, `io`, `noEncoder`, `internal`.
    package func writePNG(to path: String, overwrite: Bool = false) throws(MediaError) {
        let bytes = try pngBytes()
        try MediaError.rephrasing { () throws(FileError) in
            _ = try TemporaryFile.write(bytes, to: path, overwrite: overwrite)
        }
    }

    /// Draws an SVG file's bytes on a transparent background, scaled to a size without keeping the proportions.
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
        // librsvg returns Cairo's ARGB32: premultiplied, and stored blue first on little-endian machines.
        guard frame.pixelFormat == AV_PIX_FMT_BGRA, Int(frame.width) == width, Int(frame.height) == height else {
            throw MediaError(.internal, file: "", "librsvg returned an unexpected size or format")
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

extension ExternalFrameWrapper {
    /// Converts a JPEG file like ``convert(_:to:_:)``; the receiver's size and format do not matter.
    ///
    /// - Throws: ``MediaError`` of the code `damaged`.
    @unsafe
    package func convert(jpeg: [UInt8], to other: ExternalFrameWrapper, _ memory: [Plane]) throws(MediaError) {
        let decoded = try StillCodec.decode(jpeg, as: AV_CODEC_ID_MJPEG)
        unsafe try convert(decoded, to: other, memory)
    }
}
