/// Lets packets, which are noncopyable, wait in an array.
///
/// Used by one thread at a time.
final class QueuedPacket: @unchecked Sendable {
    var packet: Packet?
    init(_ packet: consuming Packet) { self.packet = consume packet }
}
