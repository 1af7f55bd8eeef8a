import Platform

/// Joins frames that are never shown with the next shown frame, so that each packet shows one picture.
///
/// VP9 stores a hidden and a shown frame in one packet, a superframe, and AV1 in one temporal unit. Some writers store
/// hidden frames in separate packets. Muxers of MP4 and Matroska join the packets of VP9, so the output would have
/// fewer packets than the input.
final class HiddenFrameJoiner: PacketFilter {
    private enum Codec { case vp9, av1 }

    private let codec: Codec
    private let video: Int
    /// The content of hidden frames that wait for a shown one.
    private var hidden: [[UInt8]] = []
    /// A superframe has at most eight frames.
    private static let maximumHidden = 7

    /// - Parameter video: The video to repair.
    /// - Returns: `nil` if the codec has no hidden frames, or if decoders expect them in separate packets (VP8).
    init?(_ video: VideoStreamInfo) {
        switch video.codec {
        case "vp9": self.codec = .vp9
        case "av1": self.codec = .av1
        default: return nil
        }
        self.video = video.index
    }

    /// Drops the waiting frames after a seek, as their shown frame is not read.
    func reset() { hidden = [] }

    /// Hidden frames that are held back when a key frame arrives are dropped, since no later frame refers to them.
    /// Frames at the end are also dropped.
    ///
    /// - Returns: The packet with the hidden frames before it; `nil` if it only has hidden frames.
    func add(_ packet: consuming Packet, of input: InputContext) throws(MediaError) -> Packet? {
        guard packet.streamIndex == video else { return packet }
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
