internal import CFFmpeg
internal import Raster

/// An `AVFrame` of packed pixels for the still-image codecs, freed with this value.
@safe
struct AVFrameBox: ~Copyable {
    let av: UnsafeMutablePointer<AVFrame>

    /// An empty one, for a decoder to fill.
    init() throws(MediaError) {
        guard let frame = unsafe av_frame_alloc() else { throw .outOfMemory("") }
        unsafe av = unsafe frame
    }

    /// One with memory of its own.
    init(width: Int, height: Int, format: AVPixelFormat) throws(MediaError) {
        guard let frame = unsafe av_frame_alloc() else { throw .outOfMemory("") }
        unsafe frame.pointee.width = Int32(width)
        unsafe frame.pointee.height = Int32(height)
        unsafe frame.pointee.format = format.rawValue
        let status = unsafe av_frame_get_buffer(frame, 0)
        if status < 0 {
            var failed: UnsafeMutablePointer<AVFrame>? = unsafe frame
            unsafe av_frame_free(&failed)
            throw .outOfMemory("")
        }
        unsafe av = unsafe frame
    }

    /// Takes a frame over.
    @unsafe
    init(owned frame: UnsafeMutablePointer<AVFrame>) { unsafe av = unsafe frame }

    /// Hands the frame over.
    @unsafe
    consuming func take() -> UnsafeMutablePointer<AVFrame> {
        let frame = unsafe av
        discard self
        return unsafe frame
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe av
        unsafe av_frame_free(&frame)
    }

    var width: Int { unsafe Int(av.pointee.width) }
    var height: Int { unsafe Int(av.pointee.height) }

    /// The bytes of a row of the first plane; a row is as long as FFmpeg's stride.
    func row(_ y: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let stride = unsafe Int(av.pointee.linesize.0)
        return unsafe UnsafeMutableBufferPointer(start: av.pointee.data.0! + y * stride, count: stride)
    }

    /// An image's pixels in the format `AV_PIX_FMT_RGBA`.
    static func rgba(_ image: RGBAImage) throws(MediaError) -> AVFrameBox {
        let box = try AVFrameBox(width: image.width, height: image.height, format: AV_PIX_FMT_RGBA)
        let length = image.width * 4
        for y in 0..<image.height {
            let row = unsafe box.row(y)
            for i in 0..<length { unsafe row[i] = image.pixels[y * length + i] }
        }
        return box
    }
}
