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

    @unsafe
    func add(to stream: UnsafeMutablePointer<AVStream>) {
        guard let memory = unsafe cffmpeg_stream_new_side_data(stream, type, bytes.count) else { return }
        for i in bytes.indices { unsafe memory[i] = bytes[i] }
    }
}

extension Muxer {
    /// The lasting side data of a stream.
    @unsafe
    static func sideData(of stream: UnsafeMutablePointer<AVStream>) -> [StreamSideData] {
        StreamSideData.lasting.compactMap { type in
            var size = 0
            guard let data = unsafe cffmpeg_stream_side_data(stream, type, &size), size > 0 else { return nil }
            return unsafe StreamSideData(type: type, bytes: Array(UnsafeBufferPointer(start: data, count: size)))
        }
    }
}
