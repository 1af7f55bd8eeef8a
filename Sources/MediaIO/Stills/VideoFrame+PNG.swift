internal import CFFmpeg

extension VideoFrame {
    /// The stored picture as a PNG file's bytes, with its transparency if it has one.
    /// - throws: ``MediaError`` of the codes `noEncoder`, `internal`.
    package borrowing func pngBytes() throws(MediaError) -> [UInt8] {
        let converted = unsafe try FrameConverter().convert(
            av, width: av.pointee.width, height: av.pointee.height, to: AV_PIX_FMT_RGBA, pool: FramePool())
        return try StillCodec.encode(
            unsafe AVFrameBox(owned: converted), as: AV_CODEC_ID_PNG, format: AV_PIX_FMT_RGBA)
    }
}
