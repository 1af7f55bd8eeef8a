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
        let format = PixelFormat.named(name)
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
        let chromaShift = unsafe Int(PixelFormat.description(format)!.log2_chroma_h)
        return (0..<planeCount).map { plane in
            let shift = plane == 1 || plane == 2 ? chromaShift : 0
            let rows = (height + (1 << shift) - 1) >> shift
            return (Int(strides[plane]) * rows, Int(strides[plane]))
        }
    }

    /// True if libswscale may access the caller's memory. Of most formats it reads whole vectors, also past the end of
    /// the last row. It does not for pixels of four bytes in rows of at least eight.
    private var isConvertedDirectly: Bool {
        let bits = unsafe av_get_padded_bits_per_pixel(av_pix_fmt_desc_get(format))
        return planeCount == 1 && bits == 32 && width >= 8
    }

    /// Returns the picture as a frame, which must be released before the memory.
    @unsafe
    package func frame(of planes: [Plane], time: MediaTime, duration: MediaTime?) throws(MediaError) -> VideoFrame {
        if format == AV_PIX_FMT_NV12 {
            return VideoFrame(unsafe try splitFrame(of: planes), time: time, duration: duration, orientation: .upright)
        }
        let wrapped = unsafe try wrap(planes)
        if isNative { return VideoFrame(wrapped, time: time, duration: duration, orientation: .upright) }
        let readable = isConvertedDirectly ? wrapped : try copy(of: wrapped)
        let converted = try reading.convert(
            readable, width: width, height: height, to: nearest, matrix: matrix, pool: pool)
        return VideoFrame(converted, time: time, duration: duration, orientation: .upright)
    }

    /// Returns a copy of a picture in memory that libswscale may access.
    private func copy(of frame: borrowing FrameHandle) throws(MediaError) -> FrameHandle {
        let copy = try copies.makeFrame(width: width, height: height, format: format)
        try copy.copyProperties(of: frame)
        copy.copySamples(of: frame)
        return copy
    }

    /// Converts the drawn frame back into the caller's memory. Does nothing if it was drawn in place.
    @unsafe
    package func write(_ frame: borrowing VideoFrame, to planes: [Plane]) throws(MediaError) {
        if isNative { return }
        if format == AV_PIX_FMT_NV12 { return unsafe merge(frame.av, into: planes) }
        let wrapped = unsafe try wrap(planes)
        if isConvertedDirectly { return try writing.convert(frame.av, into: wrapped) }
        let copy = try copies.makeFrame(width: width, height: height, format: format)
        try copy.copyProperties(of: wrapped)
        try writing.convert(frame.av, into: copy)
        wrapped.copySamples(of: copy)
    }

    /// Converts a picture to another size and format, in the memory of the caller.
    ///
    /// The proportions are kept: the picture is scaled to fit and centred. The remaining rows or columns of `memory`
    /// are not written.
    @unsafe
    package func convert(
        _ planes: [Plane], to other: ExternalFrameWrapper, _ memory: [Plane]
    ) throws(MediaError) {
        unsafe try convert(try wrap(planes), to: other, memory)
    }

    /// Converts a frame like ``convert(_:to:_:)``.
    @unsafe
    func convert(
        _ source: borrowing FrameHandle, to other: ExternalFrameWrapper, _ memory: [Plane]
    ) throws(MediaError) {
        let target = unsafe try other.wrap(memory)
        let (sourceWidth, sourceHeight) = (Int(source.width), Int(source.height))
        // Sizes are even, since a chroma sample covers two pixels.
        let width = min(other.width, max(2, other.height * sourceWidth / sourceHeight & ~1))
        let height = min(other.height, max(2, other.width * sourceHeight / sourceWidth & ~1))
        if width < other.width - 1 || height < other.height - 1 {
            let (left, top) = ((other.width - width) / 2 & ~1, (other.height - height) / 2 & ~1)
            target.crop(left: left, top: top, right: other.width - left - width, bottom: other.height - top - height)
        }
        try writing.convert(source, into: target, matrix: matrix)
    }

    /// Returns a frame with undefined samples, for calls that do not read its picture.
    package func placeholder(time: MediaTime) throws(MediaError) -> VideoFrame {
        let frame = try pool.makeFrame(width: width, height: height, format: nearest)
        return VideoFrame(frame, time: time, orientation: .upright)
    }

    /// The native format to which pictures are converted. For RGB it is 4:4:4, which keeps the resolution of colour.
    private var nearest: AVPixelFormat {
        PixelFormat.flags(format) & AV_PIX_FMT_FLAG_RGB != 0
            ? AV_PIX_FMT_YUV444P : PixelFormat.nearestNative(to: format)
    }

    @unsafe
    private func wrap(_ planes: [Plane]) throws(MediaError) -> FrameHandle {
        precondition(planes.count == planeCount, "a picture has \(planeCount) planes, not \(planes.count)")
        let frame = try FrameHandle.empty(width: width, height: height, format: format)
        describe(frame)
        for (index, plane) in planes.enumerated() {
            unsafe frame.setPlane(index, address: plane.address, stride: plane.stride)
        }
        // FFmpeg requires an owner of the memory. This owner frees nothing.
        unsafe frame.buf.0 = av_buffer_create(planes[0].address, 1, { _, _ in }, nil, 0)
        guard unsafe frame.buf.0 != nil else { throw .outOfMemory("") }
        return frame
    }

    /// Sets the properties of a frame that the caller chose.
    private func describe(_ frame: borrowing FrameHandle) {
        frame.color_range = isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_UNSPECIFIED
        if let matrix { frame.colorspace = matrix.avColorSpace }
        frame.sample_aspect_ratio = AVRational(num: 1, den: 1)
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
    private func splitFrame(of planes: [Plane]) throws(MediaError) -> FrameHandle {
        precondition(planes.count == planeCount, "a picture has \(planeCount) planes, not \(planes.count)")
        let frame = try pool.makeFrame(width: width, height: height, format: AV_PIX_FMT_YUV420P)
        describe(frame)
        unsafe frame.setPlane(0, address: planes[0].address, stride: planes[0].stride)
        unsafe forEachChromaRow(of: frame, planes[1]) { cb, cr, pairs in
            for column in 0..<chromaWidth {
                unsafe cb[column] = unsafe pairs[2 * column]
                unsafe cr[column] = unsafe pairs[2 * column + 1]
            }
        }
        return frame
    }

    /// Merges the chroma of a planar frame into the caller's, and copies luma that was not drawn in place.
    @unsafe
    private func merge(_ frame: borrowing FrameHandle, into planes: [Plane]) {
        let luma = planes[0]
        if unsafe frame.plane(0) != luma.address {
            unsafe av_image_copy_plane(
                luma.address, Int32(luma.stride), frame.plane(0), Int32(frame.stride(0)), Int32(width), Int32(height))
        }
        unsafe forEachChromaRow(of: frame, planes[1]) { cb, cr, pairs in
            for column in 0..<chromaWidth {
                unsafe pairs[2 * column] = unsafe cb[column]
                unsafe pairs[2 * column + 1] = unsafe cr[column]
            }
        }
    }

    /// Calls a closure with the rows of chroma of a planar frame, and the row of a plane of pairs.
    @unsafe
    private func forEachChromaRow(
        of frame: borrowing FrameHandle, _ plane: Plane,
        _ body: (
            _ cb: UnsafeMutablePointer<UInt8>, _ cr: UnsafeMutablePointer<UInt8>, _ pairs: UnsafeMutablePointer<UInt8>
        ) -> Void
    ) {
        let (cb, cr) = unsafe (frame.plane(1)!, frame.plane(2)!)
        let (cbStride, crStride) = (frame.stride(1), frame.stride(2))
        for row in 0..<chromaHeight {
            unsafe body(cb + row * cbStride, cr + row * crStride, plane.address + row * plane.stride)
        }
    }
}
