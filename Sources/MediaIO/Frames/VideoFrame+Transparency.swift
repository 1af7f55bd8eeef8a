internal import CFFmpeg
package import Raster

extension VideoFrame {
    /// A picture to draw on in this one's place: of its size, shape, time, orientation and matrix, in standard dynamic
    /// range with 12 bits a sample and full resolution of colour. Its samples are undefined.
    package borrowing func canvas(pool: FramePool) throws(MediaError) -> VideoFrame {
        try alike(bitDepth: 12, pool: pool)
    }

    /// The same with 10 bits a sample and a plane of alpha, for ``withTransparentPicture(pool:_:)``. Its colours are
    /// straight: not multiplied with alpha.
    package borrowing func transparentCanvas(pool: FramePool) throws(MediaError) -> VideoFrame {
        try alike(bitDepth: 10, hasAlpha: true, pool: pool)
    }

    private borrowing func alike(
        bitDepth: Int, hasAlpha: Bool = false, pool: FramePool
    ) throws(MediaError) -> VideoFrame {
        // What lays a picture over this one may do so without converting colours, as FFmpeg's overlay filter does.
        let matrix = pictureFormat.transfer == .sdr ? pictureFormat.matrix : .bt709
        let format = PictureFormat(
            width: width, height: height, bitDepth: bitDepth, chroma: .yuv444, matrix: matrix)
        let frame = try VideoFrame(
            format: format, hasAlpha: hasAlpha, time: time, duration: duration, orientation: orientation, pool: pool)
        unsafe frame.av.pointee.sample_aspect_ratio = sampleAspectRatio.avRational
        return frame
    }

    /// Lends a transparent picture: its colours, and the samples of alpha, row after row, `stride` apart, 0…1023.
    ///
    /// - Precondition: it was made by ``transparentCanvas(pool:)``.
    package mutating func withTransparentPicture<R>(
        pool: FramePool,
        _ body: (_ colours: inout MutablePicture, _ alpha: inout MutableSpan<UInt16>, _ stride: Int) throws -> R
    ) throws -> R {
        let hasAlpha = unsafe av.pointee.format == AV_PIX_FMT_YUVA444P10LE.rawValue
        precondition(hasAlpha, "the picture has no alpha")
        try makeWritable(pool: pool)
        let stride = unsafe Int(av.pointee.linesize.3) / MemoryLayout<UInt16>.stride
        let start = unsafe UnsafeMutableRawPointer(av.pointee.data.3!).assumingMemoryBound(to: UInt16.self)
        let samples = unsafe UnsafeMutableBufferPointer(start: start, count: stride * (height - 1) + width)
        return try withMutablePicture(pool: pool) { picture in
            var alpha = unsafe samples.mutableSpan
            return try body(&picture, &alpha, stride)
        }
    }

    /// Makes every sample black, or white.
    package mutating func fill(white: Bool = false, pool: FramePool) throws {
        let format = pictureFormat
        let dark = format.range == .full ? 0 : 16 << (format.bitDepth - 8)
        let bright = format.range == .full ? 1 << format.bitDepth - 1 : 235 << (format.bitDepth - 8)
        let neutral = 128 << (format.bitDepth - 8)
        try withMutablePicture(pool: pool) { out in
            for plane in Plane.allCases {
                let value = plane != .luma ? neutral : white ? bright : dark
                if format.bitDepth > 8 {
                    out.with16BitPlane(plane) { samples, _ in
                        for i in samples.indices { samples[i] = UInt16(value) }
                    }
                } else {
                    out.with8BitPlane(plane) { samples, _ in
                        for i in samples.indices { samples[i] = UInt8(value) }
                    }
                }
            }
        }
    }
}
