import Platform

/// Joins frames that are never shown with the next shown frame, so that each packet shows one picture.
///
/// VP9 stores a hidden and a shown frame in one packet, a superframe, and AV1 in one temporal unit. Some writers store
/// hidden frames in separate packets. Muxers of MP4 and Matroska join the packets of VP9, so the output would have
/// fewer packets than the input.
struct HiddenFrameJoiner {
    private enum Codec { case vp9, av1 }

    private let codec: Codec
    /// The content of hidden frames that wait for a shown one.
    private var hidden: [[UInt8]] = []
    /// A superframe has at most eight frames.
    private static let maximumHidden = 7

    /// - Parameter codec: FFmpeg's name.
    /// - Returns: `nil` if the codec has no hidden frames, or if decoders expect them in separate packets (VP8).
    init?(codec: String) {
        switch codec {
        case "vp9": self.codec = .vp9
        case "av1": self.codec = .av1
        default: return nil
        }
    }

    /// Drops the waiting frames after a seek.
    mutating func reset() { hidden = [] }

    /// Adds the next packet of the stream.
    ///
    /// Hidden frames that are held back when a key frame arrives are dropped, since no later frame refers to them.
    /// Frames at the end are also dropped.
    ///
    /// - Returns: The packet with the hidden frames before it; `nil` if it only has hidden frames.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    mutating func add(_ packet: consuming Packet) throws(MediaError) -> Packet? {
        if hidden.count < Self.maximumHidden, packet.withBytes({ isHidden($0) }) {
            hidden.append(packet.bytes)
            return nil
        }
        if hidden.isEmpty { return packet }
        defer { hidden = [] }
        if packet.withBytes({ isKeyFrame($0) }) { return packet }
        let frames = codec == .vp9 ? (hidden + [packet.bytes]).flatMap(VPXHeader.frames(of:)) : hidden + [packet.bytes]
        // A superframe cannot contain more frames. In that case, the hidden frames are dropped.
        guard codec == .av1 || frames.count <= Self.maximumHidden + 1 else { return packet }
        return try packet.replacing(codec == .vp9 ? VPXHeader.superframe(of: frames) : AV1Packet.joined(frames))
    }

    private func isHidden(_ bytes: Span<UInt8>) -> Bool {
        switch codec {
        case .vp9: !bytes.isEmpty && VPXHeader.role(ofVP9: bytes) == nil
        case .av1: AV1Packet(bytes).isHidden
        }
    }

    /// Returns whether decoding can begin with the packet.
    private func isKeyFrame(_ bytes: Span<UInt8>) -> Bool {
        switch codec {
        case .vp9: VPXHeader.role(ofVP9: bytes) == .entry
        case .av1: AV1Packet(bytes).role == .entry
        }
    }
}

/// The position that FFmpeg's NUT demuxer sees in an input without seeking.
///
/// The demuxer records the position of every syncpoint for seeking, in an unbounded tree (`ff_nut_add_sp` of
/// `libavformat/nut.c`): 7 MB for each hour. A known position is not recorded again, so each frame is reported to begin
/// at the same position.
///
/// A syncpoint states how far back decoding would have to begin, which must not be before the stream's beginning. So
/// the reported position is far from the beginning, ``usual``. The reported position grows only while key frames are
/// farther apart.
struct StreamPlace {
    /// The position, in bytes, that is reported for all packets beyond the first `usual` bytes.
    static let usual: Int64 = 1 << 28
    /// The maximum distance to which a syncpoint may refer beyond the known packets, in bytes.
    private static let margin: Int64 = 1 << 26

    /// The difference between actual and reported positions, in bytes.
    private var forgotten: Int64 = 0
    /// The ends of the last two key frames of each stream.
    private var keys: [Int: (earlier: Int64, last: Int64)] = [:]

    /// Returns the position to report for the end of a packet.
    ///
    /// - Parameter place: FFmpeg's present position.
    mutating func behind(_ place: Int64, stream: Int, isKey: Bool) -> Int64 {
        let actual = place + forgotten
        if isKey { keys[stream] = (keys[stream]?.last ?? actual, actual) }
        let oldest = keys.values.reduce(actual) { min($0, $1.earlier) }
        guard place > Self.usual, actual - oldest < Self.usual - Self.margin else { return place }
        forgotten += place - Self.usual
        return Self.usual
    }
}
