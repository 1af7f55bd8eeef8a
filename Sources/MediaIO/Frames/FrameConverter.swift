internal import CFFmpeg
internal import Raster

/// Converts pictures to another pixel format or size. A converter keeps its scaler for the next call, and is used by
/// one thread at a time.
///
/// `SwsContext`
@safe
final class FrameConverter {
    private var context: OpaquePointer?

    init() { unsafe context = nil }

    deinit { unsafe cffmpeg_free_scaler(context) }

    /// Returns a converted copy with all properties of the source (times, colour tags, …).
    ///
    /// Matrix and range are kept, with two exceptions. RGB sources get `matrix`, or the matrix that players assume for
    /// their size, in limited range. The `yuvj` formats become plain formats that are tagged as full range. Conversions
    /// to a `yuvj` format give full range.
    @unsafe
    func convert(
        _ source: UnsafeMutablePointer<AVFrame>, width: Int32, height: Int32, to format: AVPixelFormat,
        matrix: ColourMatrix? = nil, pool: FramePool
    ) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
        let converted = unsafe try pool.makeFrame(width: width, height: height, format: format)
        pool.countConversion()
        do throws(MediaError) {
            try MediaError.demandMemory(unsafe av_frame_copy_props(converted, source), "")
            unsafe try convert(source, into: converted, matrix: matrix)
        } catch {
            var failed: UnsafeMutablePointer<AVFrame>? = unsafe converted
            unsafe av_frame_free(&failed)
            throw error
        }
        return unsafe converted
    }

    /// Converts into the memory of another frame, to its size and format.
    @unsafe
    func convert(
        _ source: UnsafeMutablePointer<AVFrame>, into target: UnsafeMutablePointer<AVFrame>,
        matrix: ColourMatrix? = nil
    ) throws(MediaError) {
        let from = unsafe AVPixelFormat(rawValue: source.pointee.format)
        unsafe context = unsafe cffmpeg_cached_scaler(
            context, source.pointee.width, source.pointee.height, from, target.pointee.width, target.pointee.height,
            AVPixelFormat(rawValue: target.pointee.format))
        guard unsafe context != nil else {
            let name = unsafe av_get_pix_fmt_name(from).map { unsafe String(cString: $0) } ?? "unknown"
            throw MediaError(.internal, file: "", "pictures of the pixel format \(name) cannot be converted")
        }
        unsafe setColours(source, from: from, target, matrix)
        unsafe withUnsafeMutablePointers(source, target) { source, sourceLines, target, targetLines, rows in
            _ = unsafe cffmpeg_scale(context, source, sourceLines, rows, target, targetLines)
        }
    }

    @unsafe
    private func setColours(
        _ source: UnsafeMutablePointer<AVFrame>, from: AVPixelFormat, _ target: UnsafeMutablePointer<AVFrame>,
        _ wanted: ColourMatrix?
    ) {
        let flags = unsafe av_pix_fmt_desc_get(from)!.pointee.flags
        let isRGB = flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
        let height = unsafe Int(target.pointee.height)
        let matrix =
            unsafe wanted
            ?? ColourMatrix(isRGB ? AVCOL_SPC_UNSPECIFIED : source.pointee.colorspace, height: height)
        let isFull =
            unsafe PixelFormat.native(from)?.isAlwaysFullRange == true
            || source.pointee.color_range == AVCOL_RANGE_JPEG
        let wantsFull =
            unsafe PixelFormat.native(AVPixelFormat(rawValue: target.pointee.format))?.isAlwaysFullRange == true
        let targetIsFull = wantsFull || !isRGB && isFull
        unsafe cffmpeg_set_colours(context, matrix.swsColorSpace, isFull ? 1 : 0, targetIsFull ? 1 : 0)
        if isRGB { unsafe target.pointee.colorspace = matrix.avColorSpace }
        if isRGB || isFull {
            unsafe target.pointee.color_range = targetIsFull ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        }
    }

    /// Calls a closure with the two frames' planes in the types of `sws_scale`.
    @unsafe
    private func withUnsafeMutablePointers(
        _ source: UnsafeMutablePointer<AVFrame>, _ target: UnsafeMutablePointer<AVFrame>,
        _ body: (
            UnsafePointer<UnsafePointer<UInt8>?>, UnsafePointer<Int32>,
            UnsafePointer<UnsafeMutablePointer<UInt8>?>, UnsafePointer<Int32>, Int32
        ) -> Void
    ) {
        // The source may be shared, so the closures get copies of its fields: passing a field with `&` would count as a
        // write.
        unsafe withUnsafePointer(to: source.pointee.data) { data in
            unsafe data.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: 8) { sourceData in
                unsafe withUnsafePointer(to: source.pointee.linesize) { lines in
                    unsafe lines.withMemoryRebound(to: Int32.self, capacity: 8) { sourceLines in
                        unsafe withUnsafePointer(to: &target.pointee.data) { data in
                            unsafe data.withMemoryRebound(
                                to: UnsafeMutablePointer<UInt8>?.self, capacity: 8
                            ) { targetData in
                                unsafe withUnsafePointer(to: &target.pointee.linesize) { lines in
                                    unsafe lines.withMemoryRebound(to: Int32.self, capacity: 8) { targetLines in
                                        unsafe body(
                                            sourceData, sourceLines, targetData, targetLines, source.pointee.height)
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
