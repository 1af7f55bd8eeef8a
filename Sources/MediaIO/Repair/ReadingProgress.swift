/// Records how far an input was read, on the file's own clock, and passes all packets on.
final class ReadingProgress: PacketFilter {
    /// The end of the last packet's content, in seconds.
    private(set) var end = 0.0
    /// True if a packet was read, whole or not.
    var hasRead = false

    func add(_ packet: consuming Packet, of input: InputContext) -> Packet? {
        hasRead = true
        // For some codecs, AVI has only decoding times.
        if let time = packet.presentationTime ?? packet.decodingTime {
            end = max(end, time.seconds + (packet.duration?.seconds ?? 0))
        }
        return packet
    }
}
