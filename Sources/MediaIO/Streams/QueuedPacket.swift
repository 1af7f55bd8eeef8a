/// Lets packets, which are noncopyable, wait in an array.
///
/// Used by one thread at a time.
package final class QueuedPacket: @unchecked Sendable {
    package var packet: Packet?
    package init(_ packet: consuming Packet) { self.packet = consume packet }
}
