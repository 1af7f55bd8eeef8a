internal import CFFmpeg

/// Writes the closed captions of pictures (CEA-608 and 708) into encoded packets of H.264 and HEVC.
///
/// libx264 writes at most 31 triplets of a picture, and libx265 none. The captions of dropped pictures move to the next
/// one, as their triplets are one stream of bytes.
struct CaptionWriter {
    /// The maximum number of bytes in a message: the count of triplets has five bits.
    private static let maximumBytes = 31 * 3
    /// The beginning of the message (ANSI/SCTE 128, 8.1): the United States, ATSC, the user identifier `GA94`, and the
    /// type of caption data.
    private static let prefix: [UInt8] = [0xB5, 0x00, 0x31, 0x47, 0x41, 0x39, 0x34, 0x03]
    private static let registered = 4

    private let codec: NALCodec
    /// The captions of dropped pictures.
    private var waiting: [UInt8] = []
    /// The captions of pictures in the encoder, by presentation time in ticks.
    private var captions: [Int64: [UInt8]] = [:]

    /// - Returns: nil for codecs without such messages.
    init?(_ codec: VideoCodec) {
        guard let codec = NALCodec(rawValue: codec.rawValue) else { return nil }
        self.codec = codec
    }

    /// Records the captions of a picture that is not encoded.
    mutating func skip(_ frame: borrowing VideoFrame) { waiting += frame.captions }

    /// Records the captions of a picture that the encoder receives at a time.
    mutating func add(_ frame: borrowing VideoFrame, at ticks: Int64) {
        let bytes = waiting + frame.captions
        waiting = []
        if !bytes.isEmpty { captions[ticks] = bytes }
    }

    /// Returns the packet with its picture's captions.
    mutating func finished(_ packet: consuming Packet) throws(MediaError) -> Packet {
        guard let ticks = packet.presentationTime?.value, let bytes = captions.removeValue(forKey: ticks),
            let unit = SEIMessage.unit(of: Self.messages(bytes), codec: codec)
        else { return packet }
        var units = NALFraming.startCodes.units(of: packet.bytes).map { Array($0) }
        let first = units.firstIndex { NALUnit.kind(ofHeader: $0[0], codec: codec).isSlice }
        units.insert(unit, at: first ?? units.endIndex)
        return try packet.replacing(NALFraming.startCodes.joined(units))
    }

    static func messages(_ bytes: [UInt8]) -> [SEIMessage] {
        stride(from: 0, to: bytes.count, by: maximumBytes).map { start in
            let part = bytes[start..<min(start + maximumBytes, bytes.count)]
            // Caption data follows, and marker bits surround it.
            let payload = prefix + [0x40 | UInt8(part.count / 3), 0xFF] + part + [0xFF]
            return SEIMessage(type: registered, payload: payload)
        }
    }
}

extension VideoFrame {
    /// The closed captions of the picture, and of dropped pictures before it, in triplets of bytes.
    package var captions: [UInt8] {
        carriedCaptions + (av.sideData(AV_FRAME_DATA_A53_CC) ?? [])
    }

    /// The names of data of the picture that encoders do not write. Data that is unknown here is among them.
    var unwrittenData: [String] {
        av.sideDataTypes.filter { !Self.writtenData.contains($0) }
            .compactMap { unsafe String(av_frame_side_data_name($0)) }
    }

    /// The data that encoders or containers write, that describes the source's coding, or whose loss is reported for the
    /// whole stream.
    private static let writtenData = [
        AV_FRAME_DATA_DISPLAYMATRIX, AV_FRAME_DATA_STEREO3D, AV_FRAME_DATA_SPHERICAL, AV_FRAME_DATA_ICC_PROFILE,
        AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_FRAME_DATA_A53_CC,
        AV_FRAME_DATA_MOTION_VECTORS, AV_FRAME_DATA_VIDEO_ENC_PARAMS, AV_FRAME_DATA_REGIONS_OF_INTEREST,
        AV_FRAME_DATA_SEI_UNREGISTERED, AV_FRAME_DATA_GOP_TIMECODE, AV_FRAME_DATA_DOVI_RPU_BUFFER,
        AV_FRAME_DATA_DOVI_METADATA, AV_FRAME_DATA_PANSCAN,
    ]
}
