import MediaIO
import Platform
import RateControl
import Reactions

/// Reads an indexed recording again, and verifies that its packets have not changed.
struct VerifiedPacketReader: ~Copyable {
    let demuxer: Demuxer
    private let packetIndex: PacketIndex
    private let interrupt: InterruptFlag
    /// The number of the video's packets read.
    private(set) var count = 0
    /// A Boolean value that indicates whether the run was stopped before the end.
    private(set) var wasInterrupted = false

    init(_ demuxer: Demuxer, packetIndex: PacketIndex, interrupt: InterruptFlag) {
        self.demuxer = demuxer
        self.packetIndex = packetIndex
        self.interrupt = interrupt
    }

    /// The number of the video's packet that was read last.
    var number: Int { count - 1 }

    /// Returns the next packet of any stream; `nil` at the end, and if the run is stopped.
    ///
    /// - Throws: `MediaError`; `SmartRenderUnavailable` if the recording has changed.
    mutating func read() throws -> Packet? {
        guard let packet = try readAny() else {
            if !wasInterrupted, count < packetIndex.pictures.count { throw Self.changed }
            return nil
        }
        guard packet.streamIndex == demuxer.video.index else { return packet }
        guard count < packetIndex.pictures.count,
            (packet.presentationTime ?? packet.decodingTime)?.value == packetIndex.pictures[count].presentationTime,
            packet.size == Int(packetIndex.pictures[count].size)
        else { throw Self.changed }
        count += 1
        return packet
    }

    private static let changed = SmartRenderUnavailable("it changed while it was being read")

    private mutating func readAny() throws(MediaError) -> Packet? {
        do throws(MediaError) {
            if !interrupt.isRaised, let packet = try demuxer.readPacket() { return packet }
        } catch {
            guard error.code == .interrupted else { throw error }
        }
        wasInterrupted = interrupt.isRaised
        return nil
    }
}
