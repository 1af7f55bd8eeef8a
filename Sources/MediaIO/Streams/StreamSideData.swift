internal import CFFmpeg
internal import Raster

/// Data about a whole stream that a file stores outside its packets, such as the orientation of the picture.
struct StreamSideData: Sendable {
    /// A kind of side data that describes the content of a stream, by FFmpeg's type. Kinds without a name here have
    /// FFmpeg's, so data that is added to FFmpeg later is also copied and compared.
    struct Kind: Sendable, Hashable {
        private let number: UInt32

        private init(_ type: AVPacketSideDataType) { number = type.rawValue }

        static let displayMatrix = Kind(AV_PKT_DATA_DISPLAYMATRIX)
        static let stereo3D = Kind(AV_PKT_DATA_STEREO3D)
        static let spherical = Kind(AV_PKT_DATA_SPHERICAL)
        static let masteringDisplay = Kind(AV_PKT_DATA_MASTERING_DISPLAY_METADATA)
        static let contentLight = Kind(AV_PKT_DATA_CONTENT_LIGHT_LEVEL)
        static let iccProfile = Kind(AV_PKT_DATA_ICC_PROFILE)
        static let dolbyVision = Kind(AV_PKT_DATA_DOVI_CONF)
        static let replayGain = Kind(AV_PKT_DATA_REPLAYGAIN)
        static let audioService = Kind(AV_PKT_DATA_AUDIO_SERVICE_TYPE)

        private static let names: [Kind: String] = [
            .displayMatrix: "rotation", .stereo3D: "stereo 3D layout", .spherical: "spherical projection",
            .masteringDisplay: "mastering display colours", .contentLight: "content light level",
            .iccProfile: "ICC profile", .dolbyVision: "Dolby Vision configuration record",
            .replayGain: "replay gain", .audioService: "audio service type",
        ]

        /// The data that muxers derive from the coding or the container, or that refers to another file's streams.
        private static let derived: Set<Kind> = [
            Kind(AV_PKT_DATA_CPB_PROPERTIES), Kind(AV_PKT_DATA_MPEGTS_STREAM_ID), Kind(AV_PKT_DATA_FALLBACK_TRACK),
            Kind(AV_PKT_DATA_ENCRYPTION_INIT_INFO), Kind(AV_PKT_DATA_ENCRYPTION_INFO),
        ]

        /// The kinds that FFmpeg knows, in a constant order: those with a name here first.
        static let all: [Kind] = {
            let known = [
                displayMatrix, stereo3D, spherical, masteringDisplay, contentLight, iccProfile, dolbyVision, replayGain,
                audioService,
            ]
            let types = (0..<AV_PKT_DATA_NB.rawValue).map { Kind(AVPacketSideDataType(rawValue: $0)) }
            return known + types.filter { !known.contains($0) && !derived.contains($0) }
        }()

        var type: AVPacketSideDataType { AVPacketSideDataType(rawValue: number) }

        /// The name in messages.
        var name: String {
            if let name = Self.names[self] { return name }
            return unsafe av_packet_side_data_name(type).map { unsafe String(cString: $0) } ?? "data \(number)"
        }

        /// True if the data is still valid after pictures and sound are encoded again.
        ///
        /// Dolby Vision's record announces data within each coded frame, which no encoder here writes. Data of a kind that
        /// is unknown here may do the same.
        var outlivesEncoding: Bool { self != .dolbyVision && Self.names[self] != nil }
    }

    let kind: Kind
    let bytes: [UInt8]

    /// Returns the mastering display metadata of a frame. In raw streams and some files, only the frames have such
    /// metadata, in the form in which streams have it.
    static func grading(of frame: borrowing FrameHandle) -> [StreamSideData] {
        let kinds: [(AVFrameSideDataType, Kind)] = [
            (AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, .masteringDisplay),
            (AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, .contentLight),
        ]
        var grading: [StreamSideData] = []
        for (type, kind) in kinds {
            if let bytes = frame.sideData(type) { grading.append(StreamSideData(kind: kind, bytes: bytes)) }
        }
        return grading
    }
}

extension StreamHandle {
    /// The side data, in a constant order.
    var sideData: [StreamSideData] {
        StreamSideData.Kind.all.compactMap { kind in sideData(kind).map { StreamSideData(kind: kind, bytes: $0) } }
    }

    /// Returns the side data of a kind; nil if there is none.
    func sideData(_ kind: StreamSideData.Kind) -> [UInt8]? {
        var size = 0
        guard let data = unsafe cffmpeg_stream_side_data(pointer, kind.type, &size), size > 0 else { return nil }
        return unsafe Array(data, count: size)
    }

    /// Adds side data.
    ///
    /// - Returns: FFmpeg's code, below 0 if there is no memory.
    func add(_ data: StreamSideData) -> Int32 {
        guard let memory = unsafe cffmpeg_stream_new_side_data(pointer, data.kind.type, data.bytes.count) else {
            return cffmpeg_error_enomem
        }
        for i in data.bytes.indices { unsafe memory[i] = data.bytes[i] }
        return 0
    }
}

extension Orientation {
    /// Creates the quarter turn that is nearest to a display matrix; nil if it is truncated. The matrix maps stored
    /// positions to shown ones: nine numbers, row by row, in 16.16 fixed point, or 2.30 in the last column (ISO/IEC
    /// 14496-12, 6.2.2). FFmpeg keeps them in the machine's byte order.
    init?(displayMatrix bytes: [UInt8]) {
        guard bytes.count >= 36 else { return nil }
        func number(_ index: Int) -> Double {
            unsafe bytes.withUnsafeBytes { Double(unsafe $0.loadUnaligned(fromByteOffset: index * 4, as: Int32.self)) }
        }
        let a = number(0), b = number(1), c = number(3), d = number(4)
        let mirrored = a * d - b * c < 0
        // Horizontal mirroring does not change the second row, so this row alone determines the rotation.
        let turns: Int
        if abs(c) > abs(d) {
            turns = c < 0 ? 1 : 3
        } else {
            turns = d < 0 ? 2 : 0
        }
        self.init(quarterTurns: turns, mirrored: mirrored)
    }

    /// Returns the display matrix for pictures of a size: nine numbers, row by row, in the machine's byte order.
    func displayMatrix(width: Int, height: Int) -> [Int32] {
        let m = DisplayGeometry(storedWidth: width, storedHeight: height, orientation: self).uprightToStored.inverse
        // Translations of pictures from 32,768 samples on do not fit. Players derive them from the rotation.
        func fixed(_ value: Double) -> Int32 { Int32(clamping: Int64((value * 65536).rounded())) }
        return [fixed(m.a), fixed(m.b), 0, fixed(m.c), fixed(m.d), 0, fixed(m.tx), fixed(m.ty), 1 << 30]
    }
}
