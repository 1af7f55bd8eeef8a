import MediaIO
import Platform
import RateControl
import Reactions

/// A queue of packets in the order of the source's file. Packets wait in it while a segment before them is being
/// encoded.
struct SpliceQueue: ~Copyable {
    enum Entry {
        case packet(QueuedPacket)
        /// The place of a packet that an encoded segment replaces. The decoding time is in ticks; `isLast` marks the
        /// segment's last place.
        case replaced(span: Int, decodingTime: Int64, isLast: Bool)
    }

    private var entries: [Entry] = []
    private var head = 0
    /// The number of waiting bytes.
    private(set) var size = 0

    var first: Entry? { head < entries.count ? entries[head] : nil }

    mutating func append(_ packet: consuming Packet) {
        size += packet.size
        entries.append(.packet(QueuedPacket(packet)))
    }

    mutating func appendPlace(of span: Int, decodingTime: Int64, isLast: Bool) {
        entries.append(.replaced(span: span, decodingTime: decodingTime, isLast: isLast))
    }

    mutating func removeFirst() {
        head += 1
        if head > 1024, head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }

    /// Removes and returns the first packet of the queue.
    mutating func takeFirst() -> Packet? {
        guard case .packet(let queued)? = first, let packet = queued.packet.take() else { return nil }
        size -= packet.size
        removeFirst()
        return packet
    }
}
