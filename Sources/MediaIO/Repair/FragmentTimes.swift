internal import CFFmpeg

/// Corrects the times of fragmented MP4 from pipes and connections, which FFmpeg's demuxer counts from 0 after it was
/// restarted between two fragments: see ``FragmentCut``.
final class FragmentTimes: PacketFilter {
    private let source: StreamSource

    init(_ source: StreamSource) { self.source = source }

    func add(_ packet: consuming Packet, of input: InputContext) -> Packet? {
        let offset = source.offset(ofTrack: input.stream(packet.streamIndex).id)
        if offset != 0 { packet.move(by: offset) }
        return packet
    }
}
