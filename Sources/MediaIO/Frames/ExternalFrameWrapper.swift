internal import CFFmpeg
package import Raster

/// Lends pictures in the caller's memory as frames for the duration of a call.
///
/// Planar Y′CbCr is read and modified in place. Other formats are converted, and converted back after drawing.
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

    /// A Boolean value that indicates whether pictures are modified in place.
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

    /// Returns the picture as a frame, which must be released before the memory.
    @unsafe
    package func frame(of planes: [Plane], time: MediaTime, duration: MediaTime?) throws(MediaError) -> VideoFrame {
        let wrapped = unsafe try wrap(planes)
        if isNative { return unsafe VideoFrame(owned: wrapped, time: time, duration: duration, orientation: .upright) }
        defer {
            var done: UnsafeMutablePointer<AVFrame>? = unsafe wrapped
            unsafe av_frame_free(&done)
        }
        let converted = unsafe try reading.convert(
            wrapped, width: Int32(width), height: Int32(height), to: nearest, matrix: matrix, pool: pool)
        return unsafe VideoFrame(owned: converted, time: time, duration: duration, orientation: .upright)
    }

    /// Converts the drawn frame back into the caller's memory. Does nothing if it was drawn in place.
    @unsafe
    package func write(_ frame: borrowing VideoFrame, to planes: [Plane]) throws(MediaError) {
        if isNative { return }
        var wrapped: UnsafeMutablePointer<AVFrame>? = unsafe try wrap(planes)
        defer { unsafe av_frame_free(&wrapped) }
        unsafe try writing.convert(frame.av, into: wrapped!)
    }

    /// Returns a frame for calls that need no picture.
    package func placeholder(time: MediaTime) throws(MediaError) -> VideoFrame {
        let frame = unsafe try pool.makeFrame(width: Int32(width), height: Int32(height), format: nearest)
        return unsafe VideoFrame(owned: frame, time: time, duration: nil, orientation: .upright)
    }

    /// The native format for conversions. RGB keeps its colour resolution in both directions.
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
        unsafe frame.pointee.color_range = isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_UNSPECIFIED
        if let matrix { unsafe frame.pointee.colorspace = matrix.avColorSpace }
        unsafe frame.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
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
}
