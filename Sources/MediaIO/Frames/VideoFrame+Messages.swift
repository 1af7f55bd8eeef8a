internal import CFFmpeg

extension VideoFrame {
    /// Has the encoder write a message into the stream with this picture, instead of any that it came with;
    /// see ``VideoEncoderSettings/embedsMessages``.
    ///
    /// - Parameters:
    ///   - uuid: 16 bytes that say what kind of message it is.
    ///   - message: nil for none.
    ///
    /// `AV_FRAME_DATA_SEI_UNREGISTERED`
    package mutating func embed(_ message: [UInt8]?, uuid: [UInt8]) throws(MediaError) {
        unsafe av_frame_remove_side_data(av, AV_FRAME_DATA_SEI_UNREGISTERED)
        guard let message else { return }
        let bytes = uuid + message
        guard let data = unsafe av_frame_new_side_data(av, AV_FRAME_DATA_SEI_UNREGISTERED, bytes.count) else {
            throw .outOfMemory("")
        }
        for (index, byte) in bytes.enumerated() { unsafe data.pointee.data[index] = byte }
    }
}
