internal import CFFmpeg

/// Data that a file holds for a whole stream beside its packets, such as how to turn the picture.
struct StreamSideData: Sendable {
    /// The kinds of side data that describe the content of a stream.
    enum Kind: String, Sendable, Hashable, CaseIterable {
        case displayMatrix = "rotation"
        case stereo3D = "stereo 3D layout"
        case spherical = "spherical projection"
        case masteringDisplay = "mastering display colours"
        case contentLight = "content light level"
        case iccProfile = "ICC profile"
        case dolbyVision = "Dolby Vision configuration record"
        case replayGain = "replay gain"
        case audioService = "audio service type"

        var type: AVPacketSideDataType {
            switch self {
            case .displayMatrix: AV_PKT_DATA_DISPLAYMATRIX
            case .stereo3D: AV_PKT_DATA_STEREO3D
            case .spherical: AV_PKT_DATA_SPHERICAL
            case .masteringDisplay: AV_PKT_DATA_MASTERING_DISPLAY_METADATA
            case .contentLight: AV_PKT_DATA_CONTENT_LIGHT_LEVEL
            case .iccProfile: AV_PKT_DATA_ICC_PROFILE
            case .dolbyVision: AV_PKT_DATA_DOVI_CONF
            case .replayGain: AV_PKT_DATA_REPLAYGAIN
            case .audioService: AV_PKT_DATA_AUDIO_SERVICE_TYPE
            }
        }

        /// A Boolean value that indicates whether the data stays true of pictures and sound that are encoded anew.
        ///
        /// Dolby Vision's record announces data within each coded frame, which no encoder here writes.
        var outlivesEncoding: Bool { self != .dolbyVision }
    }

    let kind: Kind
    let bytes: [UInt8]

    /// Returns the screen's description that a frame carries, on which all frames were graded. Raw streams and some files
    /// have it in the frames alone, in the same form.
    @unsafe
    static func grading(of frame: UnsafePointer<AVFrame>) -> [StreamSideData] {
        let kinds: [(AVFrameSideDataType, Kind)] = [
            (AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, .masteringDisplay),
            (AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, .contentLight),
        ]
        return kinds.compactMap { type, kind in
            guard let data = unsafe av_frame_get_side_data(frame, type) else { return nil }
            let bytes = unsafe Array(UnsafeBufferPointer(start: data.pointee.data, count: Int(data.pointee.size)))
            return StreamSideData(kind: kind, bytes: bytes)
        }
    }

    /// - Returns: FFmpeg's code, below 0 where there is no memory for it.
    @unsafe
    func add(to stream: UnsafeMutablePointer<AVStream>) -> Int32 {
        guard let memory = unsafe cffmpeg_stream_new_side_data(stream, kind.type, bytes.count) else {
            return cffmpeg_error_enomem
        }
        for i in bytes.indices { unsafe memory[i] = bytes[i] }
        return 0
    }

    /// Returns the side data of a stream.
    @unsafe
    static func all(of stream: UnsafeMutablePointer<AVStream>) -> [StreamSideData] {
        Kind.allCases.compactMap { kind in
            var size = 0
            guard let data = unsafe cffmpeg_stream_side_data(stream, kind.type, &size), size > 0 else { return nil }
            return unsafe StreamSideData(kind: kind, bytes: Array(UnsafeBufferPointer(start: data, count: size)))
        }
    }
}
