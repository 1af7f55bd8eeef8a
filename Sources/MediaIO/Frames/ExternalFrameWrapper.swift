internal import CFFmpeg
package import Raster

/// Lends pictures in the caller's memory as frames for the duration of a call: frames of a `ReactionProcessor`'s
/// caller, or of a camera.
///
/// Planar Y′CbCr is read and modified in place. The luma of NV12 is, too; its chroma is split into planes, and merged
/// again. Other formats are converted, and converted back after drawing.
///
/// Used by one thread at a time.
@safe
package final class ExternalFrameWrapper {
    /// A plane of samples or pixels.
    @safe
    package struct Plane {
        let address: UnsafeMutablePointer<UInt8>
        let stride: Int

        /// - Parameters:
        ///   - address: The address of the first row; valid until the call that uses the plane returns.
        ///   - stride: The distance of rows in bytes.
        @unsafe
        package init(address: UnsafeMutableRawPointer, stride: Int) {
            unsafe self.address = address.assumingMemoryBound(to: UInt8.self)
            self.stride = stride
        }
    }

    package let width: Int
    package let height: Int
    /// The number of planes of a picture.
    package let planeCount: Int
    private let format: AVPixelFormat
    private let isFullRange: Bool
    private let matrix: ColourMatrix?
    private let pool: FramePool
    /// The pool for copies of pictures. It is separate from ``pool``, since a pool keeps buffers of one size only.
    private let copies = FramePool()
    private let reading = FrameConverter()
    private let writing = FrameConverter()

    /// - Parameters:
    ///   - format: FFmpeg's name of the pixel format, such as `yuv420p`, `nv12` or `bgra`.
    ///   - matrix: The matrix of Y′CbCr; if nil, the matrix that players assume for the size.
    /// - throws: ``MediaError`` of the code `invalidSettings` if the size or the format is not supported.
    package init(
        width: Int, height: Int, format name: String, isFullRange: Bool, matrix: ColourMatrix?, pool: FramePool
    ) throws(MediaError) {
        let format = unsafe av_get_pix_fmt(name)
        guard (1...16384).contains(width), (1...16384).contains(height) else {
            throw MediaError(
                .invalidSettings, file: "",
                "the picture size \(width)×\(height) is invalid; use 1 to 16384 pixels per side")
        }
        guard format != AV_PIX_FMT_NONE, sws_isSupportedInput(format) != 0, sws_isSupportedOutput(format) != 0 else {
            throw MediaError(
                .invalidSettings, file: "",
                "the pixel format \(name.prefix(40)) is not supported; use one such as yuv420p, nv12 or bgra"
            )
        }
        (self.width, self.height, self.format, self.pool) = (width, height, format, pool)
        (self.isFullRange, self.matrix) = (isFullRange, matrix)
        planeCount = Int(av_pix_fmt_count_planes(format))
    }

    /// True if pictures are modified in place.
    package var isNative: Bool { PixelFormat.native(format) != nil }

    /// The size and stride in bytes of each plane of a picture whose rows have no gaps.
    package var packedPlanes: [(size: Int, stride: Int)] {
        var strides = [Int32](repeating: 0, count: 4)
        unsafe av_image_fill_linesizes(&strides, format, Int32(width))
        let description = unsafe av_pix_fmt_desc_get(format)!
        return (0..<planeCount).map { plane in
            let isChroma = plane == 1 || plane == 2
            let shift = unsafe isChroma ? Int(description.pointee.log2_chroma_h) : 0
            let rows = (height + (1 << shift) - 1) >> shift
            return (Int(strides[plane]) * rows, Int(strides[plane]))
        }
    }

    /// True if libswscale may access the caller's memory. Of most formats it reads whole vectors, also past the end of
    /// the last row. It does not for pixels of four bytes in rows of at least eight.
    private var isConvertedDirectly: Bool {
        let description = unsafe av_pix_fmt_desc_get(format)!
        let bits = unsafe av_get_padded_bits_per_pixel(description)
        return planeCount == 1 && bits == 32 && width >= 8
    }

    /// Returns the picture as a frame, which must be released before the memory.
    @unsafe
    package func frame(of planes: [Plane], time: MediaTime, duration: MediaTime?) throws(MediaError) -> VideoFrame {
        if format == AV_PIX_FMT_NV12 {
            let frame = unsafe try splitFrame(of: planes)
            return unsafe VideoFrame(owned: frame, time: time, duration: duration, orientation: .upright)
        }
        let wrapped = unsafe try wrap(planes)
        if isNative { return unsafe VideoFrame(owned: wrapped, time: time, duration: duration, orientation: .upright) }
        var done: UnsafeMutablePointer<AVFrame>? = unsafe wrapped
        defer { unsafe av_frame_free(&done) }
        var copy: UnsafeMutablePointer<AVFrame>?
        defer { unsafe av_frame_free(&copy) }
        if !isConvertedDirectly {
            unsafe copy = try copies.makeFrame(width: Int32(width), height: Int32(height), format: format)
            unsafe av_frame_copy_props(copy, wrapped)
            unsafe av_frame_copy(copy, wrapped)
        }
        let converted = unsafe try reading.convert(
            copy ?? wrapped, width: Int32(width), height: Int32(height), to: nearest, matrix: matrix, pool: pool)
        return unsafe VideoFrame(owned: converted, time: time, duration: duration, orientation: .upright)
    }

    /// Converts the drawn frame back into the caller's memory. Does nothing if it was drawn in place.
    @unsafe
    package func write(_ frame: borrowing VideoFrame, to planes: [Plane]) throws(MediaError) {
        if isNative { return }
        if format == AV_PIX_FMT_NV12 { return unsafe merge(frame.av, into: planes) }
        var wrapped: UnsafeMutablePointer<AVFrame>? = unsafe try wrap(planes)
        defer { unsafe av_frame_free(&wrapped) }
        if isConvertedDirectly { return unsafe try writing.convert(frame.av, into: wrapped!) }
        var copy: UnsafeMutablePointer<AVFrame>? = unsafe try copies.makeFrame(
            width: Int32(width), height: Int32(height), format: format)
        defer { unsafe av_frame_free(&copy) }
        unsafe av_frame_copy_props(copy, wrapped)
        unsafe try writing.convert(frame.av, into: copy!)
        unsafe av_frame_copy(wrapped, copy)
    }

    /// Converts a picture to another size and format, in the memory of the caller.
    ///
    /// The proportions are kept: the picture is scaled to fit and centred. The remaining rows or columns of `memory`
    /// are not written.
    @unsafe
    package func convert(
        _ planes: [Plane], to other: ExternalFrameWrapper, _ memory: [Plane]
    ) throws(MediaError) {
        var source: UnsafeMutablePointer<AVFrame>? = unsafe try wrap(planes)
        defer { unsafe av_frame_free(&source) }
        unsafe try convert(source!, to: other, memory)
    }

    /// Converts a frame like ``convert(_:to:_:)``.
    @unsafe
    func convert(
        _ source: UnsafeMutablePointer<AVFrame>, to other: ExternalFrameWrapper, _ memory: [Plane]
    ) throws(MediaError) {
        var target: UnsafeMutablePointer<AVFrame>? = unsafe try other.wrap(memory)
        defer { unsafe av_frame_free(&target) }
        let (sourceWidth, sourceHeight) = unsafe (Int(source.pointee.width), Int(source.pointee.height))
        // Sizes are even, since a chroma sample covers two pixels.
        let width = min(other.width, max(2, other.height * sourceWidth / sourceHeight & ~1))
        let height = min(other.height, max(2, other.width * sourceHeight / sourceWidth & ~1))
        if width < other.width - 1 || height < other.height - 1 {
            unsafe other.crop(
                target!, x: (other.width - width) / 2 & ~1, y: (other.height - height) / 2 & ~1, width, height)
        }
        unsafe try writing.convert(source, into: target!, matrix: matrix)
    }

    /// Makes a frame show a part of its picture. Positions are even.
    @unsafe
    private func crop(_ frame: UnsafeMutablePointer<AVFrame>, x: Int, y: Int, _ width: Int, _ height: Int) {
        unsafe frame.pointee.crop_left = x
        unsafe frame.pointee.crop_top = y
        unsafe frame.pointee.crop_right = self.width - x - width
        unsafe frame.pointee.crop_bottom = self.height - y - height
        _ = unsafe av_frame_apply_cropping(frame, Int32(AV_FRAME_CROP_UNALIGNED))
    }

    /// Returns a frame with undefined samples, for calls that do not read its picture.
    package func placeholder(time: MediaTime) throws(MediaError) -> VideoFrame {
        let frame = unsafe try pool.makeFrame(width: Int32(width), height: Int32(height), format: nearest)
        return unsafe VideoFrame(owned: frame, time: time, duration: nil, orientation: .upright)
    }

    /// The native format to which pictures are converted. For RGB it is 4:4:4, which keeps the resolution of colour.
    private var nearest: AVPixelFormat {
        let flags = unsafe av_pix_fmt_desc_get(format)!.pointee.flags
        return flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0 ? AV_PIX_FMT_YUV444P : PixelFormat.nearestNative(to: format)
    }

    @unsafe
    private func wrap(_ planes: [Plane]) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
        precondition(planes.count == planeCount, "a picture has \(planeCount) planes, not \(planes.count)")
        guard let frame = unsafe av_frame_alloc() else { throw .outOfMemory("") }
        unsafe frame.pointee.width = Int32(width)
        unsafe frame.pointee.height = Int32(height)
        unsafe frame.pointee.format = format.rawValue
        unsafe describe(frame)
        unsafe withUnsafeMutablePointer(to: &frame.pointee.data) { data in
            unsafe data.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: 8) { data in
                for (index, plane) in planes.enumerated() { unsafe data[index] = unsafe plane.address }
                unsafe frame.pointee.extended_data = unsafe data
            }
        }
        unsafe withUnsafeMutablePointer(to: &frame.pointee.linesize) { lines in
            unsafe lines.withMemoryRebound(to: Int32.self, capacity: 8) { lines in
                for (index, plane) in planes.enumerated() { unsafe lines[index] = Int32(plane.stride) }
            }
        }
        // FFmpeg requires an owner of the memory. This owner frees nothing.
        unsafe frame.pointee.buf.0 = av_buffer_create(planes[0].address, 1, { _, _ in }, nil, 0)
        guard unsafe frame.pointee.buf.0 != nil else {
            var failed: UnsafeMutablePointer<AVFrame>? = unsafe frame
            unsafe av_frame_free(&failed)
            throw .outOfMemory("")
        }
        return unsafe frame
    }

    /// Sets the properties of a frame that the caller chose.
    @unsafe
    private func describe(_ frame: UnsafeMutablePointer<AVFrame>) {
        unsafe frame.pointee.color_range = isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_UNSPECIFIED
        if let matrix { unsafe frame.pointee.colorspace = matrix.avColorSpace }
        unsafe frame.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
    }
}

// MARK: - NV12

/// Converts NV12 to planar Y′CbCr and back. libswscale, in contrast, would copy the luma and access memory past the
/// planes.
extension ExternalFrameWrapper {
    private var chromaWidth: Int { (width + 1) / 2 }
    private var chromaHeight: Int { (height + 1) / 2 }

    /// Returns a planar frame with the caller's luma and a copy of its chroma.
    @unsafe
    private func splitFrame(of planes: [Plane]) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
        precondition(planes.count == planeCount, "a picture has \(planeCount) planes, not \(planes.count)")
        let frame = unsafe try pool.makeFrame(width: Int32(width), height: Int32(height), format: AV_PIX_FMT_YUV420P)
        unsafe describe(frame)
        unsafe frame.pointee.data.0 = unsafe planes[0].address
        unsafe frame.pointee.linesize.0 = Int32(planes[0].stride)
        for row in 0..<chromaHeight {
            let pairs = unsafe planes[1].address + row * planes[1].stride
            let cb = unsafe frame.pointee.data.1! + row * Int(frame.pointee.linesize.1)
            let cr = unsafe frame.pointee.data.2! + row * Int(frame.pointee.linesize.2)
            for column in 0..<chromaWidth {
                unsafe cb[column] = unsafe pairs[2 * column]
                unsafe cr[column] = unsafe pairs[2 * column + 1]
            }
        }
        return unsafe frame
    }

    /// Merges the chroma of a planar frame into the caller's, and copies luma that was not drawn in place.
    @unsafe
    private func merge(_ frame: UnsafeMutablePointer<AVFrame>, into planes: [Plane]) {
        let luma = planes[0]
        if unsafe frame.pointee.data.0 != luma.address {
            unsafe av_image_copy_plane(
                luma.address, Int32(luma.stride), frame.pointee.data.0, frame.pointee.linesize.0, Int32(width),
                Int32(height))
        }
        for row in 0..<chromaHeight {
            let pairs = unsafe planes[1].address + row * planes[1].stride
            let cb = unsafe frame.pointee.data.1! + row * Int(frame.pointee.linesize.1)
            let cr = unsafe frame.pointee.data.2! + row * Int(frame.pointee.linesize.2)
            for column in 0..<chromaWidth {
                unsafe pairs[2 * column] = unsafe cb[column]
                unsafe pairs[2 * column + 1] = unsafe cr[column]
            }
        }
    }
}
