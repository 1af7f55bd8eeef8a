/// Lets packets, which are noncopyable, wait in an array.
///
/// Used by one thread at a time.
package final class QueuedPacket: @unchecked Sendable {
    package var packet: Packet?
    package init(_ packet: consuming Packet) { self.packet = consume packet }

    /// The stream of the packet; nil once it was removed.
    var streamIndex: Int? {
        guard let waiting = packet.take() else { return nil }
        let index = waiting.streamIndex
        packet = consume waiting
        return index
    }
}
