internal import CFFmpeg
import Raster

extension VideoFrame {
    /// The picture as people see it, as a JPEG file's bytes.
    ///
    /// - Parameter height: The image's height in pixels; the width follows.
    /// - throws: ``MediaError`` of the codes `noEncoder`, `internal`.
    package borrowing func jpegBytes(height: Int) throws(MediaError) -> [UInt8] {
        let image = try AVFrameBox.rgba(image(height: height))
        let converted = unsafe try FrameConverter().convert(
            image.av, width: Int32(image.width), height: Int32(image.height), to: AV_PIX_FMT_YUVJ420P,
            matrix: .bt601, pool: FramePool())
        // JPEG's own colours are BT.601 in full range.
        let frame = unsafe AVFrameBox(owned: converted)
        return try StillCodec.encode(frame, as: AV_CODEC_ID_MJPEG, format: AV_PIX_FMT_YUVJ420P)
    }
}
