internal import CFFmpeg
internal import Raster

/// Brings pictures to another pixel format or size.
///
/// `SwsContext`
@safe
final class FrameConverter {
    private var context: OpaquePointer?

    init() { unsafe context = nil }

    deinit { unsafe sws_freeContext(context) }

    /// A converted copy with all properties of the source (times, colour tags, …).
    ///
    /// Matrix and range stay as they are, but for RGB sources, which get `matrix` or else
    /// the one that players assume for their size, in limited range, and for the
    /// `yuvj` formats, which become plain ones tagged as full range. What is converted to one of
    /// those gets full range.
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
        unsafe context = unsafe sws_getCachedContext(
            context, source.pointee.width, source.pointee.height, from, target.pointee.width, target.pointee.height,
            AVPixelFormat(rawValue: target.pointee.format),
            SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nil, nil, nil)
        guard unsafe context != nil else {
            let name = unsafe av_get_pix_fmt_name(from).map { unsafe String(cString: $0) } ?? "unknown"
            throw MediaError(.internal, file: "", "pictures of the pixel format \(name) cannot be converted")
        }
        unsafe setColours(source, from: from, target, matrix)
        unsafe withUnsafeMutablePointers(source, target) { source, sourceLines, target, targetLines, rows in
            _ = unsafe sws_scale(context, source, sourceLines, 0, rows, target, targetLines)
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
        let table = unsafe sws_getCoefficients(matrix.swsColorSpace)
        unsafe sws_setColorspaceDetails(
            context, table, isFull ? 1 : 0, table, targetIsFull ? 1 : 0, 0, 1 << 16, 1 << 16)
        if isRGB { unsafe target.pointee.colorspace = matrix.avColorSpace }
        if isRGB || isFull {
            unsafe target.pointee.color_range = targetIsFull ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        }
    }

    /// The two frames' planes as `sws_scale` wants them.
    @unsafe
    private func withUnsafeMutablePointers(
        _ source: UnsafeMutablePointer<AVFrame>, _ target: UnsafeMutablePointer<AVFrame>,
        _ body: (
            UnsafePointer<UnsafePointer<UInt8>?>, UnsafePointer<Int32>,
            UnsafePointer<UnsafeMutablePointer<UInt8>?>, UnsafePointer<Int32>, Int32
        ) -> Void
    ) {
        // Others may read the same frame: its values are copied, since `&` would count as writing them.
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
