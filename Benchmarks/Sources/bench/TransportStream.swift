import Foundation

/// The starts of pictures in an MPEG transport stream, as needed for measurements.
struct TransportStream {
    static let packetSize = 188

    /// The bytes of an incomplete packet.
    private var rest: [UInt8] = []
    /// Packets since the start.
    private(set) var packetCount = 0

    /// The start of a picture.
    struct Start {
        /// The packet, counted from the start.
        var packet: Int
        /// Its presentation time, in 90 000ths of a second.
        var time: Int
    }

    /// Appends bytes as they arrive.
    ///
    /// - Returns: the pictures that begin in them.
    mutating func add(_ bytes: [UInt8]) -> [Start] {
        rest += bytes
        var starts: [Start] = []
        var place = 0
        while place + Self.packetSize <= rest.count {
            if let time = Self.pictureTime(Array(rest[place..<place + Self.packetSize])) {
                starts.append(Start(packet: packetCount, time: time))
            }
            packetCount += 1
            place += Self.packetSize
        }
        rest.removeFirst(place)
        return starts
    }

    /// Returns the time of the picture whose PES packet begins in a packet of the stream (ISO/IEC 13818-1, 2.4.3);
    /// nil if none does.
    private static func pictureTime(_ bytes: [UInt8]) -> Int? {
        guard bytes[0] == 0x47, bytes[1] & 0x40 != 0, bytes[3] & 0x10 != 0 else { return nil }
        let start = bytes[3] & 0x20 != 0 ? 5 + Int(bytes[4]) : 4
        guard start + 14 <= bytes.count, bytes[start..<start + 3] == [0, 0, 1], bytes[start + 3] & 0xF0 == 0xE0,
            bytes[start + 7] & 0x80 != 0
        else { return nil }
        let stamp = bytes[(start + 9)...].prefix(5).map { Int($0) }
        return (stamp[0] >> 1 & 7) << 30 | stamp[1] << 22 | (stamp[2] >> 1) << 15 | stamp[3] << 7 | stamp[4] >> 1
    }
}
