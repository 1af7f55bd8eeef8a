internal import CFFmpeg

extension ExternalFrameWrapper {
    /// Converts a JPEG file like ``convert(_:to:_:)``; the receiver's size and format do not matter.
    ///
    /// - Throws: ``MediaError`` of the code `damaged`.
    @unsafe
    package func convert(jpeg: [UInt8], to other: ExternalFrameWrapper, _ memory: [Plane]) throws(MediaError) {
        let decoded = try StillCodec.decode(jpeg, as: AV_CODEC_ID_MJPEG, options: [])
        unsafe try convert(decoded.av, to: other, memory)
    }
}
