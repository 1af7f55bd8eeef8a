internal import CFFmpeg
internal import Raster

/// Converts pictures to another pixel format or size. A converter keeps its scaler for the next call, and is used by
/// one thread at a time.
///
/// `SwsContext`
@safe
final class FrameConverter {
    private var scaler: OpaquePointer?

    init() { unsafe scaler = nil }

    deinit { unsafe cffmpeg_free_scaler(scaler) }

    /// Returns a converted copy with all properties of the source (times, colour tags, …).
    ///
    /// Matrix and range are kept, with two exceptions. RGB sources get `matrix`, or the matrix that players assume for
    /// their size, in limited range. The `yuvj` formats become plain formats that are tagged as full range. Conversions
    /// to a `yuvj` format give full range.
    func convert(
        _ source: borrowing FrameHandle, width: Int, height: Int, to format: AVPixelFormat,
        matrix: ColourMatrix? = nil, pool: FramePool
    ) throws(MediaError) -> FrameHandle {
        let converted = try pool.makeFrame(width: width, height: height, format: format)
        pool.countConversion()
        try converted.copyProperties(of: source)
        try convert(source, into: converted, matrix: matrix)
        return converted
    }

    /// Converts into the memory of another frame, to its size and format.
    func convert(
        _ source: borrowing FrameHandle, into target: borrowing FrameHandle, matrix: ColourMatrix? = nil
    ) throws(MediaError) {
        try prepare(source, target)
        setColours(source, target, matrix)
        _ = unsafe cffmpeg_scale(scaler, source.pointer, target.pointer)
    }

    /// Converts into the memory of another frame, to its size and format, and to its matrix and range, which its tags
    /// state. RGB is converted directly.
    func recode(_ source: borrowing FrameHandle, into target: borrowing FrameHandle) throws(MediaError) {
        try prepare(source, target)
        let matrices = [
            ColourMatrix(source.colorspace, height: Int(source.height)),
            ColourMatrix(target.colorspace, height: Int(target.height)),
        ].map { Int32($0.avColorSpace.rawValue) }
        let isFull =
            PixelFormat.native(source.pixelFormat)?.isAlwaysFullRange == true
            || source.color_range == AVCOL_RANGE_JPEG || PixelFormat.isRGB(source.pixelFormat)
        // libswscale converts between two matrices through RGB.
        unsafe cffmpeg_set_colours(
            scaler, PixelFormat.isRGB(source.pixelFormat) ? matrices[1] : matrices[0], isFull ? 1 : 0, matrices[1],
            target.color_range == AVCOL_RANGE_JPEG ? 1 : 0)
        _ = unsafe cffmpeg_scale(scaler, source.pointer, target.pointer)
    }

    private func prepare(_ source: borrowing FrameHandle, _ target: borrowing FrameHandle) throws(MediaError) {
        let from = source.pixelFormat
        unsafe scaler = unsafe cffmpeg_cached_scaler(
            scaler, source.width, source.height, from, target.width, target.height, target.pixelFormat)
        guard unsafe scaler != nil else {
            let name = PixelFormat.name(from) ?? "unknown"
            throw MediaError(.internal, file: "", "pictures of the pixel format \(name) cannot be converted")
        }
    }

    private func setColours(
        _ source: borrowing FrameHandle, _ target: borrowing FrameHandle, _ wanted: ColourMatrix?
    ) {
        let from = source.pixelFormat
        let isRGB = PixelFormat.isRGB(from)
        let space = isRGB ? AVCOL_SPC_UNSPECIFIED : source.colorspace
        let matrix = wanted ?? ColourMatrix(space, height: Int(target.height))
        let isFull = PixelFormat.native(from)?.isAlwaysFullRange == true || source.color_range == AVCOL_RANGE_JPEG
        let wantsFull = PixelFormat.native(target.pixelFormat)?.isAlwaysFullRange == true
        let targetIsFull = wantsFull || !isRGB && isFull
        // libswscale has the same coefficients under the same numbers.
        let number = Int32(matrix.avColorSpace.rawValue)
        unsafe cffmpeg_set_colours(scaler, number, isFull ? 1 : 0, number, targetIsFull ? 1 : 0)
        if isRGB { target.colorspace = matrix.avColorSpace }
        if isRGB || isFull { target.color_range = targetIsFull ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG }
    }
}
