/// Joins frames that are never shown with the shown frame after them, so that each packet shows one picture.
///
/// VP9 keeps both in one packet, a superframe, and AV1 in one temporal unit. Some writers store hidden frames in packets
/// of their own. Muxers of MP4 and Matroska join VP9's then, and the output has fewer packets than the input.
struct HiddenFrameJoiner {
    private enum Codec { case vp9, av1 }

    private let codec: Codec
    /// The content of hidden frames that wait for a shown one.
    private var hidden: [[UInt8]] = []
    /// A superframe has at most eight frames.
    private static let mostHidden = 7

    /// - Parameter codec: FFmpeg's name.
    /// - Returns: `nil` where the codec has no hidden frames, or where decoders expect them in packets of their own (VP8).
    init?(codec: String) {
        switch codec {
        case "vp9": self.codec = .vp9
        case "av1": self.codec = .av1
        default: return nil
        }
    }

    /// Drops the frames that wait, after a seek.
    mutating func reset() { hidden = [] }

    /// Adds the next packet of the stream.
    ///
    /// Frames that wait for a key frame are dropped, since nothing after it refers to them; so are those at the end.
    ///
    /// - Returns: the packet with the hidden frames before it; `nil` where it has nothing but hidden frames.
    /// - throws: ``MediaError`` of the code `internal` where there is no memory.
    mutating func add(_ packet: consuming Packet) throws(MediaError) -> Packet? {
        if hidden.count < Self.mostHidden, packet.withBytes({ isHidden($0) }) {
            hidden.append(packet.bytes)
            return nil
        }
        if hidden.isEmpty { return packet }
        defer { hidden = [] }
        if packet.withBytes({ isKeyFrame($0) }) { return packet }
        let frames = codec == .vp9 ? (hidden + [packet.bytes]).flatMap(VPXHeader.frames(of:)) : hidden + [packet.bytes]
        // No superframe holds more: the hidden frames are of no use without it.
        guard codec == .av1 || frames.count <= Self.mostHidden + 1 else { return packet }
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
