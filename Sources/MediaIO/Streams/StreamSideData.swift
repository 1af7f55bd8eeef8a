internal import CFFmpeg

/// What a file says about a whole stream beside its packets, such as how to turn the picture.
struct StreamSideData: Sendable {
    let type: AVPacketSideDataType
    let bytes: [UInt8]

    /// The kinds that hold for the pictures and the sound themselves, not for the way in
    /// which the source had coded them.
    static let lasting: [AVPacketSideDataType] = [
        AV_PKT_DATA_DISPLAYMATRIX, AV_PKT_DATA_STEREO3D, AV_PKT_DATA_SPHERICAL,
        AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
        AV_PKT_DATA_REPLAYGAIN, AV_PKT_DATA_AUDIO_SERVICE_TYPE,
    ]

    /// What a picture says of the screen that all of them were graded on. Raw streams and some files carry that in the
    /// pictures alone, in the same form.
    @unsafe
    static func grading(of frame: UnsafePointer<AVFrame>) -> [StreamSideData] {
        let kinds = [
            (AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_MASTERING_DISPLAY_METADATA),
            (AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_CONTENT_LIGHT_LEVEL),
        ]
        return kinds.compactMap { kind, type in
            guard let data = unsafe av_frame_get_side_data(frame, kind) else { return nil }
            let bytes = unsafe Array(UnsafeBufferPointer(start: data.pointee.data, count: Int(data.pointee.size)))
            return StreamSideData(type: type, bytes: bytes)
        }
    }

    /// - Returns: FFmpeg's code, below 0 where there is no memory for it.
    @unsafe
    func add(to stream: UnsafeMutablePointer<AVStream>) -> Int32 {
        guard let memory = unsafe cffmpeg_stream_new_side_data(stream, type, bytes.count) else {
            return cffmpeg_error_enomem
        }
        for i in bytes.indices { unsafe memory[i] = bytes[i] }
        return 0
    }

    /// The lasting side data of a stream.
    @unsafe
    static func lasting(of stream: UnsafeMutablePointer<AVStream>) -> [StreamSideData] {
        lasting.compactMap { type in
            var size = 0
            guard let data = unsafe cffmpeg_stream_side_data(stream, type, &size), size > 0 else { return nil }
            return unsafe StreamSideData(type: type, bytes: Array(UnsafeBufferPointer(start: data, count: size)))
        }
    }
}
